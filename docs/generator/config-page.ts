import { flagOf, variableOf } from '../../packages/server/src/config.ts'
import { groupedSettings, type Setting } from '../../packages/server/src/settings.ts'
import { code, list, page, plain, table } from './markdown.ts'

/** docs/reference/config.md: every setting of the service. */
export function configPage(): string {
  return page(
    '# Settings',
    'All settings are optional, except for some settings of a [cluster](../guides/cluster.md). A command-line flag overrides an environment variable, a variable overrides the configuration file, and the file overrides the default. `hookline config` shows every value and where it comes from.',
    'Sizes are in bytes. Durations have units, like `90s`, `1h30m` or `7d` (`ms`, `s`, `m`, `h`, `d`, `w`); a number without a unit is in milliseconds. If settings are invalid, the service does not start and reports all errors at once, including unknown variables that begin with `HOOKLINE_`.',
    'The `--config` flag or the `HOOKLINE_CONFIG` variable specifies the configuration file. It is YAML or JSON, with setting names in camel case (`retryWindow: 1h`). To read a secret from a file, add `_FILE` to the name of its variable, and set it to the path (`HOOKLINE_ADMIN_TOKEN_FILE`).',
    ...tables(),
    '## Outgoing connections',
    'Hookline only connects to webhooks, their OAuth 2 token endpoints, mail servers, DNS servers, and, if configured, a proxy and an OpenTelemetry collector. In a cluster, it also connects to PostgreSQL and NATS. For every connection to a webhook, a token endpoint or a mail server, the address guard (SSRF protection) refuses:',
    list([
      'private, loopback and reserved addresses, and names that resolve to them (exceptions: `allowedNetworks`)',
      'ports of services other than web servers, or, for email, other than mail servers (exceptions: `allowedPorts`)',
    ]),
    'These settings do not affect the webhook URL `http://inspector.internal/`, the built-in [inspector](../guides/inspector.md).',
    '## Egress proxy',
    'With `egressProxy`, every connection to a webhook, a token endpoint or a mail server goes through this proxy: deliveries, test deliveries, replays and deletion notices.',
    list([
      'Hookline sends `CONNECT` for both `https` and `http`. The proxy must allow it for port 80 if you have `http` webhooks, and for the port of the mail server if you use email.',
      'TLS is end-to-end between Hookline and the receiver, and the certificate is verified as it is without a proxy. For an `https` proxy, `tlsCaFile` also applies.',
      'Percent-encode special characters in the user name and password. The whole URL is a secret: Hookline never shows it.',
    ]),
    "The proxy resolves the webhook's host name and connects to it, so **configure the proxy to refuse your private networks**. Hookline still refuses forbidden ports, forbidden addresses, and names that resolve to them. If Hookline cannot resolve a name within a second, the proxy decides. The address of the proxy itself may be private.",
    'If the proxy is unreachable, rejects the credentials or cannot connect, the attempt has the class `proxy_failed` and is retried. `attemptTimeout` includes the time for the proxy.',
  )
}

function tables(): string[] {
  const groups = Map.groupBy(groupedSettings(), ([group]) => group)
  return [...groups].flatMap(([group, settings]) => [
    `## ${group}`,
    table(
      ['flag', 'variable', 'default', 'meaning'],
      settings.map(([, name, setting]) => [
        code(flagOf(name)),
        code(variableOf(name)),
        defaultOf(setting),
        plain(setting.doc),
      ]),
    ),
  ])
}

function defaultOf(setting: Setting): string {
  if (setting.default === undefined) return 'none'
  return setting.default === '' ? 'empty' : code(setting.default)
}
