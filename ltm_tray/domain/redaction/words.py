"""Words that names of secrets are made of, and words that are no secrets behind such names."""

from __future__ import annotations

_OF_PASSWORDS = """
password passwd pwd passphrase passcode passwort kennwort passw passwrd passe mdp contraseña
contrasena senha parola wachtwoord пароль 密码 密碼 パスワード 비밀번호
"""
_BEFORE_KEY = """
access account admin aes api app application auth authentication cipher client consumer crypto
customer db deploy enc encryption fernet hmac integration jwt licence license master private root
search secret server service session shared signing subscription webhook write
"""
_SECOND = """
backup base current default dev development eu internal live local main new old plain plaintext
primary prod production raw read ro rw secondary stage staging string test testing text us value
write
"""
_BEFORE_OTHERS = """
anon anonymous bos cancellation cls continuation csrf css cursor design end eos first input last
lookahead mask max min next output pad page pagination per prev previous prompt public publishable
sep special start stop sync total unk xsrf
"""
_SPEAKING_WORDS = """
1password about above access account admin after all allowed also anonymous any apikey are array
ask async auth authorization auto await azure bar base basic baz bearer been before below
bitwarden blank bool boolean bytea bytes can char check checked column common compat const
contrasena contraseña copied correct created credential credentials current dashlane data default
defined deleted demo denied deprecated derived different digest disabled document doppler each
either empty enabled encoded encrypted enter env environment error exists expired expires external
failed false field file files first fixed foo foobar forgot form found from generated github
gitlab given global group has hash hashed header hidden ignored include included inherit input int
integer interface internal invalid jenkins jwt keepass kennwort key keychain keyring known
kubernetes lastpass leaked length less like login long lost managed manual masked minimum missing
mixed must name needed never new nil nobody none not null number object off omit onepassword only
opaque optional other parola pass passed passphrase passwd password passwort prompt prompted
protected provided pwd query random read readonly received refresh refreshed refused rejected
removed required reset revoked rotated same sample saved secret secretstr secure see sensitive
server service session set shared short show shown simple single some something static still store
stored str string strong super systemd test testing text that the them then this token true type
undefined unique unknown unset unused used user username valid value varchar vault visible void
weak when where will with word write wrong yes you your
"""
_SENTENCE_WORDS = """
a an and are as at be by can do enter for forgot from has have if in incorrect invalid is it key
must my no not of on or our passphrase password passwords please required secret should that the
their this to token was we when with wrong you your
"""

PASSWORDS = tuple(_OF_PASSWORDS.split())
"""How a name of a password ends, in several languages."""
KEY_OWNERS = frozenset(_BEFORE_KEY.split())
"""Words that make a secret of the key behind them; a primary key is none."""
SECOND_NAMES = frozenset(_SECOND.split())
"""Words that may follow the name of a secret: `API_KEY_PROD`."""
NO_TOKENS = frozenset(_BEFORE_OTHERS.split())
"""Words that make something else of the token behind them: `next_token`."""
SPEAKING = frozenset(_SPEAKING_WORDS.split())
"""Words that say something of a secret, or name a sort of thing, and are none themselves."""
SENTENCE = frozenset(_SENTENCE_WORDS.split())
"""Words that make a sentence, not a passphrase, of those around them."""
