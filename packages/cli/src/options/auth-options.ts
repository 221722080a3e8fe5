import type { Command } from 'commander'
import { Failure } from '../failure.ts'
import { jsonObjectIn, textIn } from './json-file.ts'

/** The options that authenticate the preceding --webhook. */
interface AuthOptions {
  basic?: string
  bearer?: string
  clientCertificate?: string
  clientKey?: string
  authFile?: string
}

export interface AuthenticatedWebhook {
  readonly url: string
  readonly headers: Record<string, string>
  readonly auth: AuthOptions
}

/** Adds the options. `current` returns the preceding --webhook, or throws. */
export function withAuthOptions<C extends Command>(
  command: C,
  current: (option: string) => AuthenticatedWebhook,
): C {
  const set = (name: keyof AuthOptions, flag: string) => (text: string) => {
    current(flag).auth[name] = text
  }
  return command
    .option(
      '--basic <user:password>',
      'HTTP basic authentication for the preceding --webhook',
      set('basic', '--basic'),
    )
    .option(
      '--bearer <token>',
      'bearer token for the preceding --webhook',
      set('bearer', '--bearer'),
    )
    .option(
      '--client-certificate <file>',
      'client certificate for the preceding --webhook, in PEM, with its intermediates',
      set('clientCertificate', '--client-certificate'),
    )
    .option(
      '--client-key <file>',
      'private key of the client certificate, in PEM',
      set('clientKey', '--client-key'),
    )
    .option(
      '--auth-file <file>',
      'JSON file with the authentication for the preceding --webhook, such as {"oauth2": {…}}; - for stdin',
      set('authFile', '--auth-file'),
    )
}

/** The webhook for a request. @throws {Failure} `usage`. The messages do not quote secrets. */
export async function requestedWebhook({ auth, ...webhook }: AuthenticatedWebhook) {
  const kinds = [auth.basic, auth.bearer, auth.clientCertificate, auth.authFile]
  if (kinds.filter((each) => each !== undefined).length > 1)
    throw new Failure(
      'usage',
      'Use only one of --basic, --bearer, --client-certificate and --auth-file for each --webhook.',
    )
  const requested = await authOf(auth)
  return requested === undefined ? webhook : { ...webhook, auth: requested }
}

async function authOf(options: AuthOptions): Promise<object | undefined> {
  const { basic, bearer, clientCertificate, clientKey, authFile } = options
  if ((clientCertificate === undefined) !== (clientKey === undefined))
    throw new Failure('usage', 'Use --client-certificate and --client-key together.')
  if (clientCertificate !== undefined && clientKey !== undefined) {
    const hint = 'Use a file in PEM format.'
    const certificate = await textIn(clientCertificate, hint)
    return { clientCertificate: { certificate, key: await textIn(clientKey, hint) } }
  }
  if (basic !== undefined) return { basic: basicOf(basic) }
  if (bearer !== undefined) return { bearer }
  if (authFile === undefined) return undefined
  return jsonObjectIn(authFile, 'Use an object such as {"bearer": "…"} or {"oauth2": {…}}.')
}

function basicOf(text: string): object {
  const colon = text.indexOf(':')
  if (colon === -1) throw new Failure('usage', '--basic must have the format user:password.')
  return { user: text.slice(0, colon), password: text.slice(colon + 1) }
}
