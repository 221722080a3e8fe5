import { flagOf, variableOf } from '../../packages/server/src/config.ts'
import { type Setting, type SettingName, SETTINGS } from '../../packages/server/src/settings.ts'
import { code, page, plain, table } from './markdown.ts'

/** docs/reference/config.md: every setting of the service. */
export function configPage(): string {
  return page(
    '# Settings',
    'Hookline runs without any setting. A command-line flag overrides an environment variable, a variable overrides the configuration file, and the file overrides the default. Sizes are in bytes. Times have units, like `90s`, `1h30m` or `7d` (`ms`, `s`, `m`, `h`, `d`, `w`); a number without a unit is milliseconds. When the service starts, it reports all mistakes at once, including unknown variables that begin with `HOOKLINE_`. `hookline config` shows every value and where it comes from.',
    'The flag `--config` or the variable `HOOKLINE_CONFIG` names the configuration file. The file is YAML or JSON, with setting names in camel case (`retryWindow: 1h`). A secret can be in its own file: add `_FILE` to the name of its variable, and set it to the path (`HOOKLINE_ADMIN_TOKEN_FILE`).',
    table(['flag', 'variable', 'default', 'meaning'], rows()),
    '## Outgoing connections',
    'Hookline connects to nothing but webhooks and name servers, and to a proxy if you set one. Each connection passes the address guard: it refuses hosts that are, or resolve to, private, loopback or reserved addresses (`allowedNetworks` opens them), and ports of services other than web servers (`allowedPorts`). The webhook URL `http://inspector.internal/` leads to [the inspector](../guides/receivers.md#the-inspector), a receiver inside the process, whatever these settings say.',
    'With `egressProxy`, every connection to a webhook goes through that proxy: deliveries, test deliveries, replays and deletion notices. Hookline sends `CONNECT` for `https` and for `http`, so the proxy must allow it for port 80, too, if you have such webhooks. TLS is between Hookline and the receiver, and the certificate is verified as without a proxy. For an `https` proxy, `tlsCaFile` adds authorities as well. In the URL, write special characters of user and password percent-encoded. The whole URL is a secret: Hookline never shows it. The variables `HTTP_PROXY`, `HTTPS_PROXY` and `ALL_PROXY` have no effect.',
    'The proxy looks up the name of the webhook and connects to it, so **the proxy is the last guard**: let it refuse your private networks. Hookline still checks what it can see, before it asks the proxy. It refuses a forbidden port, a host that is a forbidden address, and a name that resolves to one. A name that Hookline cannot resolve within a second is left to the proxy. The address of the proxy itself may be private.',
    'If the proxy cannot be reached, refuses its credentials or makes no connection, the attempt has the class `proxy_failed` and is made again later. `attemptTimeout` includes the time for the proxy.',
  )
}

function rows(): string[][] {
  return Object.entries<Setting>(SETTINGS).map(([key, setting]) => {
    const name = key as SettingName
    return [code(flagOf(name)), code(variableOf(name)), defaultOf(setting), plain(setting.doc)]
  })
}

function defaultOf(setting: Setting): string {
  if (setting.default === undefined) return 'none'
  return setting.default === '' ? 'empty' : code(setting.default)
}
