r"""The shapes of vendors' keys and tokens.

Each line of the table is a kind, hints of which every text with such a token holds one, and
a pattern, in which `{A}` is a letter or digit, `{W}` one of those or `_` or `-`, `{H}` a small
hexadecimal digit and `{E}` the end of letters and digits. A group is the secret, else all is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

_TABLE = r"""
aws-access-key      AKIA,ASIA,ABIA,ACCA  A(?:KIA|SIA|BIA|CCA)[A-Z2-7]{16}{E}
aws-signature       X-Amz-Signature=     X-Amz-Signature=({H}{64})
gcp-key             private_key_id       private_key_id\\*"\s?:\s?\\*"({H}{40})
google-key          AIza                 AIza{W}{35}(?!{W})
google-key          GOCSPX-              GOCSPX-{W}{24,}
google-key          ya29.                ya29\.[A-Za-z0-9._-]{30,}
google-key          1//0                 1//0{W}{40,}
azure-key           sig=                 [?&;]sig=([A-Za-z0-9%+/_-]{30,}={0,2})
azure-key           Q~                   [A-Za-z0-9_~.-]{3}[78]Q~[A-Za-z0-9_~.-]{31,34}
digitalocean-token  _v1_                 do[opr]_v1_{H}{64}{E}
github-token        gh                   gh[pousr]_{A}{36,255}{E}
github-token        github_pat_          github_pat_{A}{22}_{A}{59}
gitlab-token        gl                   gl(?:pat|ptt|rt|dt|cbt|ft|oas)-(?:t\d_)?{W}{20,}
gitlab-token        gl                   gl(?:soat|imt|agent|ffct)-{W}{20,}
slack-token         xox                  xox[abeoprs](?:\.xox[bp])?-(?:\d{1,13}-)?[A-Za-z0-9-]{20,}
slack-token         xapp-                xapp-\d-[A-Z0-9]{8,}-\d{8,}-{H}{40,}
slack-token         hooks.slack.com      https://hooks\.slack\.com/[a-z]{8,9}/[A-Za-z0-9/_-]{30,}
stripe-key          k_live_,k_test_      (?:sk|rk)_(?:live|test)_{A}{16,}
stripe-key          whsec_               whsec_[A-Za-z0-9+/]{24,}={0,2}
anthropic-key       sk-ant-              sk-ant-[a-z0-9]{3,8}-{W}{32,}
openrouter-key      sk-or-               sk-or-v1-{H}{48,}
openai-key          sk-                  sk-(?:proj|svcacct|admin|None)-{W}{32,}
openai-key          sk-                  sk-(?=[A-Za-z]*\d){A}{32,}(?!{W})
npm-token           npm_                 npm_{A}{36}{E}
pypi-token          pypi-AgE             pypi-AgE{W}{40,}
huggingface-token   hf_,api_org_         (?:hf_|api_org_)(?=[A-Za-z]*\d){A}{30,}{E}
sendgrid-key        SG.                  SG\.{W}{22}\.{W}{43}
twilio-key          SK                   SK{H}{32}{E}
telegram-token      :AA                  (?:\bbot)?(\d{8,10}:AA{W}{33})(?!{W})
discord-token       .                    [MNO]{W}{23,27}\.{W}{6}\.{W}{27,}
discord-token       /webhooks/           https://[\w.]{0,10}discord(?:app)?\.com/api/[\w/]{8,40}/{W}{60,}
shopify-token       shp                  shp(?:at|ss|ca|pa|tka)_[0-9a-fA-F]{32}{E}
databricks-token    dapi                 dapi{H}{32}(?:-\d)?{E}
vault-token         hv                   hv[sbr]\.{W}{24,}
terraform-token     .atlasv1.            {A}{14}\.atlasv1\.{W}{60,}
docker-token        dckr_                dckr_(?:pat|oat)_{W}{24,}
linear-key          lin_                 lin_(?:api|oauth)_{A}{32,}
notion-token        ntn_                 ntn_{A}{40,}
notion-token        secret_              secret_{A}{43}{E}
grafana-token       glsa_                glsa_{A}{32}_{H}{8}
grafana-token       glc_                 glc_[A-Za-z0-9+/]{32,}={0,2}
newrelic-key        NRA                  NRA[KL]-[A-Z0-9]{27}{E}
postman-key         PMAK-                PMAK-{H}{24}-{H}{34}
mailgun-key         key-                 key-{H}{32}{E}
mailchimp-key       -us                  {H}{32}-us\d{1,2}{E}
square-token        sq0                  sq0[a-z]{3}-{W}{22,}
square-token        EAAA                 (?<![/+])EAAA[A-Za-z0-9_+/-]{60}
figma-token         fig                  fig[dour]_{W}{32,}
atlassian-token     AT                   AT(?:ATT3xFfGF0|CTT3xFfGN0|BB)[A-Za-z0-9_=-]{24,}
sentry-token        sntry                sntry[us]_[A-Za-z0-9+/=_-]{60,}
groq-key            gsk_                 gsk_{A}{48,}{E}
tailscale-key       tskey-               tskey-[a-z]{3,10}-{A}{8,}(?:-{A}{16,})?
rubygems-key        rubygems_            rubygems_{H}{48}{E}
xai-key             xai-                 xai-{A}{70,}{E}
replicate-token     r8_                  r8_{A}{37}{E}
perplexity-key      pplx-                pplx-{A}{40,}{E}
planetscale-token   pscale_              pscale_(?:tkn|pw|oauth)_{W}{32,}
doppler-token       dp.                  dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9._-]{32,}
supabase-token      sbp_                 sbp_{H}{40}
supabase-token      sb_secret_           sb_secret_{W}{20,}
netlify-token       nf                   nf[pcu]_{A}{36}{E}
fly-token           fm2_                 fm2_[A-Za-z0-9+/=]{60,}
fly-token           fo1_                 fo1_{W}{40,}
brevo-key           xkeysib-             xkeysib-{H}{64}-{A}{16}
resend-key          re_                  re_{A}{8}_{A}{24}{E}
airtable-token      pat                  pat{A}{14}\.{H}{64}
dropbox-token       sl.                  sl\.(?:u\.)?{W}{130,}
pulumi-token        pul-                 pul-{H}{40}{E}
alibaba-key         LTAI                 LTAI{A}{17,21}{E}
crates-token        cio                  cio{A}{32}{E}
private-key         AGE-SECRET-KEY-1     AGE-SECRET-KEY-1[0-9A-Z]{58}
jwt                 eyJ                  {B}eyJ{W}{8,}+\.eyJ{W}{4,}+(?:\.{W}*+)?
jwt                 eyJ                  {B}eyJ{W}{8,}+(?:\.{W}*+){4}
"""
_SIGNS = {
    "{A}": "[A-Za-z0-9]",
    "{W}": "[A-Za-z0-9_-]",
    "{H}": "[0-9a-f]",
    "{E}": "(?![A-Za-z0-9])",
    # Looked for before the token, as a run of its characters holds any number of beginnings.
    "{B}": r"(?:(?<![A-Za-z0-9_-])|(?<=\\[nrt])|(?<=%[0-9A-Fa-f]{2}))",
}


@dataclass(frozen=True, slots=True)
class Shape:
    """A kind of token: one of the hints is in every text that its pattern finds something in."""

    kind: str
    hints: tuple[str, ...]
    written: str

    @property
    def pattern(self) -> re.Pattern[str]:
        """The pattern, made when it is first needed: most texts have none of the hints."""
        return _compiled(self.written)


def _shape(line: str) -> Shape:
    kind, hints, pattern = line.split()
    return Shape(kind, tuple(hints.split(",")), pattern)


@cache
def _compiled(written: str) -> re.Pattern[str]:
    for sign, meaning in _SIGNS.items():
        written = written.replace(sign, meaning)
    return re.compile(written)


SHAPES = tuple(_shape(line) for line in _TABLE.strip().splitlines())
