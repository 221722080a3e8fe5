import {
  type Destination,
  INSPECTOR_HOST,
  INSPECTOR_URL,
  LIMITS,
  portRefusal,
} from '@hookline/protocol'
import Type from 'typebox'
import { type Fault, fault, jsonPointer } from '../../util/fault.ts'

const MAX_CHARACTERS = LIMITS.webhookUrlCharacters

/** What the parser of a URL needs. */
export interface UrlContext {
  /** Ports that are allowed although they are not for web servers. */
  readonly allowedPorts: ReadonlySet<number>
  /** The parser appends the faults that it finds. */
  readonly faults: Fault[]
}

/**
 * Parses and normalises the URL of a webhook by the WHATWG URL standard; `undefined` where it breaks a rule. The address
 * is not checked here, but at each attempt, after the DNS look-up.
 */
export function parseWebhookUrl(
  input: unknown,
  pointer: string,
  { allowedPorts, faults }: UrlContext,
): string | undefined {
  const found = typeof input === 'string' ? faultsOf(input, allowedPorts) : [missing(input)]
  faults.push(...found.map((each) => ({ ...each, pointer })))
  return typeof input === 'string' && found.length === 0 ? new URL(input).href : undefined
}

function missing(input: unknown): Fault {
  const hint = 'Give a full URL: https://example.com/events.'
  return input === undefined
    ? fault('', 'required', 'The URL is missing.', hint)
    : fault('', 'wrong_type', 'The URL must be a text.', hint)
}

function faultsOf(text: string, allowedPorts: ReadonlySet<number>): Fault[] {
  const url = URL.parse(text)
  if (url !== null && url.protocol !== 'http:' && url.protocol !== 'https:') {
    const hint = 'Begin the URL with https:// or http://.'
    return [fault('', 'scheme_not_allowed', 'Only http and https URLs are allowed.', hint)]
  }
  // The WHATWG parser also accepts `http:host` and `http:///host`, where the host is probably a mistake.
  if (url === null || !/^\s*https?:\/\/[^/\\?#]/i.test(text)) {
    const hint = 'Give a full URL with protocol and host: https://example.com/events.'
    return [fault('', 'invalid_url', 'The URL cannot be read.', hint)]
  }
  return [...brokenRules(text, url), ...placeFaults(url, allowedPorts)]
}

function placeFaults(url: URL, allowedPorts: ReadonlySet<number>): Fault[] {
  if (url.hostname !== INSPECTOR_HOST) return portFaults(url, allowedPorts)
  if (url.protocol === 'http:' && url.port === '') return []
  const hint = `Give ${INSPECTOR_URL}, and any path after it: the inspector has neither TLS nor a port.`
  const message = `${INSPECTOR_HOST} is the inspector of Hookline, and only http leads to it.`
  return [fault('', 'not_the_inspector', message, hint)]
}

function portFaults({ port }: URL, allowedPorts: ReadonlySet<number>): Fault[] {
  const service = port === '' ? undefined : portRefusal(Number(port), allowedPorts)
  if (service === undefined) return []
  const hint =
    'Give the port of a web server; if one listens there, the operator opens the port with the setting allowedPorts.'
  return [fault('', 'port_not_allowed', `Port ${port} is for ${service}.`, hint)]
}

function brokenRules(text: string, url: URL): Fault[] {
  const faults: Fault[] = []
  if (Math.max(text.length, url.href.length) > MAX_CHARACTERS) {
    const hint = `Keep it at ${MAX_CHARACTERS} characters or fewer, percent-encoding included.`
    faults.push(fault('', 'too_long', 'The URL is too long.', hint))
  }
  if (url.username !== '' || url.password !== '') {
    const hint = 'Put credentials into a static header: "headers": {"Authorization": "…"}.'
    faults.push(fault('', 'credentials_in_url', 'The URL carries a user or a password.', hint))
  }
  if (url.href.includes('#')) {
    const hint = 'Leave out # and what follows: it is never sent.'
    faults.push(fault('', 'fragment_in_url', 'The URL carries a fragment.', hint))
  }
  return faults
}

/** An import of many destinations looks up so many hosts: the response does not wait for more. */
const MAX_HOSTS = 100

/** What the settings have that will not work as they are, in the form of faults. */
export const WarningsResponse = Type.Array(
  Type.Object({
    pointer: Type.String(),
    code: Type.String({ description: 'address_forbidden or name_unresolved.' }),
    message: Type.String(),
    hint: Type.String(),
  }),
  {
    description:
      'What will not work as it is: webhooks whose address the setting allowedNetworks forbids, and names that have no address at the moment. Names are looked up, for a second at most, when a destination is created, changed, imported or tested; at other times the warnings say what the URL alone shows.',
  },
)

/** Why webhooks of a host get nothing at the moment. `why` completes "is …". */
type HostProblem =
  | { readonly kind: 'forbidden'; readonly address: string; readonly why: string }
  | { readonly kind: 'unresolved' }

/** Checks of the hosts of webhooks. */
export interface UrlChecks {
  /** Why webhooks may not reach an IP address, in words that complete "is …"; `undefined` for any other text. */
  readonly addressRefusal: (host: string) => string | undefined
  /** Why webhooks of a host get nothing at the moment; names are looked up. Resolves soon, and never rejects. */
  readonly hostProblem: (host: string) => Promise<HostProblem | undefined>
}

/** A webhook, and where its URL is in the request or the record. */
interface PlacedWebhook {
  readonly pointer: string
  readonly host: string
}

/** A warning for each webhook whose URL shows, without a look-up, that its address is forbidden. */
export function urlWarnings(
  destination: Destination,
  { addressRefusal }: Pick<UrlChecks, 'addressRefusal'>,
): readonly Fault[] {
  return webhooksOf(destination).flatMap((webhook) => {
    const address = /(?:^|\.)localhost$/.test(webhook.host) ? '127.0.0.1' : webhook.host
    const why = addressRefusal(address)
    return why === undefined ? [] : warning(webhook, { kind: 'forbidden', address, why })
  })
}

/**
 * A warning for each webhook that gets nothing as it is (spec 02 §What an answer means), with names looked up. No refusal: the
 * settings of Hookline and the names decide, and both may change. `at`: the pointer to a list of destinations.
 */
export async function hostWarnings(
  destinations: readonly (Destination | undefined)[],
  { hostProblem }: Pick<UrlChecks, 'hostProblem'>,
  at?: string,
): Promise<readonly Fault[]> {
  const webhooks = destinations.flatMap((each, index) =>
    each === undefined ? [] : webhooksOf(each, at === undefined ? '' : `${at}/${index}`),
  )
  const hosts = [...new Set(webhooks.map(({ host }) => host))].slice(0, MAX_HOSTS)
  const problems = new Map(
    await Promise.all(hosts.map(async (host) => [host, await hostProblem(host)] as const)),
  )
  return webhooks.flatMap((webhook) => warning(webhook, problems.get(webhook.host)))
}

function webhooksOf({ settings }: Destination, at = ''): PlacedWebhook[] {
  return settings.webhooks.map(({ url }, index) => ({
    pointer: at + jsonPointer('settings', 'webhooks', index, 'url'),
    host: new URL(url).hostname.replaceAll(/[[\]]/g, ''),
  }))
}

function warning({ pointer, host }: PlacedWebhook, problem: HostProblem | undefined): Fault[] {
  if (problem === undefined) return []
  if (problem.kind === 'unresolved') {
    const message = `The name ${host} has no address at the moment, so the webhook gets nothing.`
    const hint = 'Check its spelling and its DNS records. Deliveries are tried again.'
    return [fault(pointer, 'name_unresolved', message, hint)]
  }
  const { address, why } = problem
  const subject = host === address ? `The address ${address}` : `${host} is at ${address}, which`
  const message = `${subject} is ${why}, so the webhook gets nothing.`
  return [fault(pointer, 'address_forbidden', message, hintFor(address))]
}

function hintFor(address: string): string {
  const network = networkOf(address)
  return `Give another URL, or add ${network} to the setting allowedNetworks and restart: \`hookline start --allowed-networks ${network}\`. Until then, the first delivery pauses the webhook, and its deliveries are held.`
}

/** The loopback network as a whole, because every service of this machine is in it; else the address alone. */
function networkOf(address: string): string {
  if (address.startsWith('127.')) return '127.0.0.0/8'
  return `${address}/${address.includes(':') ? 128 : 32}`
}
