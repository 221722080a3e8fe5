import type { Destination, Webhook } from '@hookline/protocol'
import { isIPv4 } from 'node:net'
import Type from 'typebox'
import { type FieldError, fieldError, jsonPointer } from '../../util/field-error.ts'
import type { Clock } from '../../util/time/clock.ts'
import * as Schema from '../api/schema.ts'
import { secretWarnings } from './secrets.ts'
import { certificateWarning } from './webhook-auth.ts'
import { retryWindowWarning } from './webhook-limits.ts'

/** The maximum number of hosts that one request looks up. */
const MAX_HOSTS = 100

/** In the format of errors. */
export const WarningsResponse = Type.Array(Schema.FieldErrorResponse, {
  description:
    'Warnings about webhooks that cannot receive requests or will soon be unable to, about short secrets, and about long retry windows. certificate_expired and certificate_expires: the client certificate has expired, or expires within 30 days. address_forbidden: the allowedNetworks setting does not allow the address. name_unresolved: the name has no address; names are looked up when a destination is created, changed, imported or tested. short_secret: a secret has fewer than 24 bytes. retry_window_too_long: retryWindow is not shorter than the retention setting.',
})

/** Why a host's webhooks are receiving nothing at the moment. `why` completes "is …". */
type HostProblem =
  | { readonly kind: 'forbidden'; readonly address: string; readonly why: string }
  | { readonly kind: 'unresolved' }

export interface WarningDeps {
  /** Retry windows must be shorter. */
  readonly retentionMs: number
  readonly clock: Clock
  /** Looks up the host, for at most a second. Never rejects. */
  readonly hostProblem: (host: string) => Promise<HostProblem | undefined>
}

interface PlacedWebhook {
  /** The pointer to the webhook. */
  readonly at: string
  readonly webhook: Webhook
}

/**
 * Warnings about webhooks that cannot receive requests or will soon be unable to (hosts are looked
 * up), about short secrets, and about long retry windows. They are not errors, because names,
 * certificates and Hookline's settings may change.
 * @param at the pointer to the list of destinations; absent for a single one
 */
export async function destinationWarnings(
  destinations: readonly (Destination | undefined)[],
  { hostProblem, clock, retentionMs }: WarningDeps,
  at?: string,
): Promise<readonly FieldError[]> {
  const warnings = destinations.map((each, index) => {
    if (each === undefined) return { webhooks: [], secrets: [] }
    const pointer = at === undefined ? '' : `${at}/${index}`
    return { webhooks: webhooksOf(each, pointer), secrets: secretWarnings(each, pointer) }
  })
  const webhooks = warnings.flatMap((each) => each.webhooks)
  const now = clock.wall()
  const urls = webhooks.flatMap(urlsOf)
  const hosts = [...new Set(urls.map(({ host }) => host))].slice(0, MAX_HOSTS)
  const problems = new Map(
    await Promise.all(hosts.map(async (host) => [host, await hostProblem(host)] as const)),
  )
  return [
    ...urls.flatMap((url) => hostWarning(url, problems.get(url.host))),
    ...webhooks.flatMap((each) => certificateWarning(each.webhook, each.at, now)),
    ...webhooks.flatMap((each) => retryWindowWarning(each.webhook, each.at, retentionMs)),
    ...warnings.flatMap(({ secrets }) => secrets),
  ]
}

function webhooksOf({ settings }: Destination, at: string): PlacedWebhook[] {
  return settings.webhooks.map((webhook, index) => ({
    at: at + jsonPointer('settings', 'webhooks', index),
    webhook,
  }))
}

interface CheckedUrl {
  readonly pointer: string
  readonly host: string
  /** What happens while its address is forbidden. */
  readonly effect: string
}

function urlsOf({ at, webhook: { url, auth } }: PlacedWebhook): CheckedUrl[] {
  const effect = 'the first delivery pauses the webhook, and its deliveries are held'
  const own = { pointer: `${at}/url`, host: hostOf(url), effect }
  if (auth === undefined || !('oauth2' in auth)) return [own]
  const host = hostOf(auth.oauth2.tokenUrl)
  const token = { pointer: `${at}/auth/oauth2/tokenUrl`, host, effect: 'deliveries are retried' }
  return [own, token]
}

function hostOf(url: string): string {
  return new URL(url).hostname.replaceAll(/[[\]]/g, '')
}

function hostWarning(
  { pointer, host, effect }: CheckedUrl,
  problem: HostProblem | undefined,
): FieldError[] {
  if (problem === undefined) return []
  if (problem.kind === 'unresolved') {
    const message = `${host} currently has no address, so the webhook cannot receive anything.`
    const hint = 'Check its spelling and its DNS records. Deliveries are retried.'
    return [fieldError(pointer, 'name_unresolved', message, hint)]
  }
  const { address, why } = problem
  const subject =
    host === address ? `The address ${address}` : `${host} resolves to ${address}, which`
  const message = `${subject} is ${why}, so the webhook cannot receive anything.`
  return [fieldError(pointer, 'address_forbidden', message, hintFor(address, effect))]
}

function hintFor(address: string, effect: string): string {
  const network = address.startsWith('127.')
    ? '127.0.0.0/8'
    : `${address}/${isIPv4(address) ? 32 : 128}`
  return `Use another URL, or add ${network} to the allowedNetworks setting and restart: \`hookline start --allowed-networks ${network}\`. Until then, ${effect}.`
}
