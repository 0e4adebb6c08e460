"""What the HTML pages have in common: each is one file, asks for nothing and lets nothing in."""

import base64
import hashlib
import json
import re
from typing import Any

# Inside a script element "<" could end it ("</script>") or open a comment ("<!--"). The others
# are harmless there, but seen by no eye, or not to be written as UTF-8 (half of a surrogate pair).
_ESCAPED = re.compile(
    "[<\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\uffff"
    "\ud800-\udfff]"
)


def policy(style: str, script: str) -> str:
    """The Content-Security-Policy: no request to anywhere, no code and no style but the page's."""
    return "; ".join(
        [
            "default-src 'none'",
            f"script-src '{_source(script)}'",
            f"style-src '{_source(style)}'",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
            "require-trusted-types-for 'script'",
            "trusted-types 'none'",
        ]
    )


def _source(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def embedded(value: object) -> str:
    """A value as JSON that may stand inside a script element."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return _ESCAPED.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def lean(**fields: Any) -> dict[str, Any]:
    """An object for `embedded`: what is empty or None is left out."""
    return {name: value for name, value in fields.items() if value not in (None, (), [])}
