"""Builds the web app: the rules of safety first, then errors, API and console."""

from __future__ import annotations

from flask import Flask
from jinja2 import StrictUndefined

from ltm_tray.fronts.web import console, entering, errors, packing
from ltm_tray.fronts.web.api import Api, ToolSpecs
from ltm_tray.fronts.web.gate import Gate
from ltm_tray.fronts.web.info import AppInfo
from ltm_tray.fronts.web.security import protect
from ltm_tray.resources import data_dir
from ltm_tray.service import MemoryService

__all__ = ["AppInfo", "create_app"]


def create_app(
    service: MemoryService, *, info: AppInfo, tools: ToolSpecs, gate: Gate | None = None
) -> Flask:
    """Return the app over a service; `tools` gives the agent's tool specifications.

    With a `gate`, only its token opens the API, and only its links the console.

    Raises:
        FileNotFoundError: The installation lacks its templates or static files.
    """
    # Static files get a route of the console's own: Flask's would answer OPTIONS.
    app = Flask("ltm_tray", static_folder=None, template_folder=str(data_dir("templates")))
    app.jinja_options = {
        "undefined": StrictUndefined,
        "trim_blocks": True,
        "lstrip_blocks": True,
    }
    protect(app, port=info.port, admit=entering.admission(gate, info))
    errors.register(app)
    packing.register(app)
    app.register_blueprint(Api(service, version=info.version, tools=tools).blueprint())
    console.register(app, service, info)
    entering.register(app, gate, info)
    return app
