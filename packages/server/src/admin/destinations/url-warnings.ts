import type { Destination } from '@hookline/protocol'
import Type from 'typebox'
import { type Fault, fault, jsonPointer } from '../../util/fault.ts'

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
