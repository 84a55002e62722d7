"""What is never stored: secrets and private passages are found and taken out, field by field."""

from __future__ import annotations

from ltm_tray.domain.redaction.fields import Redactor, is_nothing
from ltm_tray.domain.redaction.texts import Redacted, redact

__all__ = ["Redacted", "Redactor", "is_nothing", "redact"]
