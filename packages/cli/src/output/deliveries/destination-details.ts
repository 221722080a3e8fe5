import { type Fields, limitsText, type Sample } from '@hookline/protocol'
import type { Destination } from '../../api/generated/management-client.ts'
import { nameAndId, type Names } from '../names.ts'
import type { Output } from '../output.ts'
import { type Detail, details } from '../details.ts'

const PAUSE_CAUSES: Readonly<Record<NonNullable<Destination['paused']>['reason'], string>> = {
  operator: 'by an operator',
  webhook_gone: 'the receiver responded with 410 three times in a row',
  disabled_by_receiver: 'the receiver responded with webhook-delivery: disable',
  url_forbidden: 'its address or port is not in allowedNetworks or allowedPorts',
}

export function destinationDetails(
  output: Output,
  destination: Destination,
  sources: Names = new Map(),
): string {
  const { id, name, paused, sourceId, settings } = destination
  return details(output, [
    ['id', id],
    ['name', name],
    ['enabled', enabledText(output, destination)],
    ['paused', paused === null ? 'no' : `since ${output.time(paused.since)}: deliveries are held`],
    ['source', nameAndId(sourceId, sources)],
    ['shared secret', secretText(settings)],
    ...(settings.signature === 'secret' ? [] : [['signature', settings.signature] as const]),
    ...(settings.signingKeys ?? []).map((key) => ['public key', keyText(output, key)] as const),
    ['policy', settings.successPolicy],
    ...(settings.filter ? [['filter', JSON.stringify(settings.filter)] as const] : []),
    ...(settings.sample ? [['sample', sampleText(settings.sample)] as const] : []),
    ...(settings.fields ? [['fields', fieldsText(settings.fields)] as const] : []),
    ...(settings.format ? [['format', settings.format] as const] : []),
    ...(settings.transform
      ? [['transform', settings.transform.replaceAll(/\s+/g, ' ')] as const]
      : []),
    ...(settings.method ? [['method', settings.method] as const] : []),
    ...settings.webhooks.map((webhook) => ['webhook', webhookText(output, webhook)] as const),
    ...(destination.warnings ?? []).map(({ message, hint }): Detail => [
      'warning',
      `${message} ${hint}`,
    ]),
  ])
}

function enabledText(output: Output, { enabled, enabledChangedAt }: Destination): string {
  const since = enabledChangedAt === null ? '' : `, since ${output.time(enabledChangedAt)}`
  return enabled ? `yes${since}` : `no${since}: new events are not delivered`
}

function secretText({ sharedSecret, signature, webhooks }: Destination['settings']): string {
  const { set, last4 } = sharedSecret
  const isSigned = signature !== 'secret' || webhooks.every(({ secret }) => secret !== undefined)
  if (!set && isSigned) return 'none'
  if (!set && webhooks.some(({ secret }) => secret !== undefined))
    return 'none: requests to webhooks without a webhook secret are not signed'
  if (!set) return 'none: requests are not signed'
  return last4 === undefined ? 'set' : `set, ends with ${last4}`
}

type SigningKey = NonNullable<Destination['settings']['signingKeys']>[number]

function keyText(output: Output, { publicKey, signsFrom, signsUntil }: SigningKey): string {
  const from = signsFrom === null ? '' : `, signs from ${output.time(signsFrom)}`
  const until = signsUntil === null ? '' : `, signs until ${output.time(signsUntil)}`
  return publicKey + from + until
}

function sampleText(sample: object): string {
  const { rate, by } = sample as Sample
  return `${Number((rate * 100).toPrecision(6))}% by ${by}`
}

/** The field rules of a destination or a source. */
export function fieldsText(fields: object): string {
  const { keep, drop, hash } = fields as Fields
  const parts = [
    ...(keep ? [`only ${keep.join(', ')}`] : []),
    ...(drop ? [`without ${drop.join(', ')}`] : []),
    ...(hash ? [`hashed: ${hash.map(({ path }) => path).join(', ')}`] : []),
  ]
  return parts.join('; ')
}

type Webhook = Destination['settings']['webhooks'][number]

function webhookText(output: Output, webhook: Webhook): string {
  const { url, headers, auth, limits, secret, paused } = webhook
  const names = Object.keys(headers)
  return [
    url,
    ...(names.length === 0 ? [] : [`(with ${names.join(', ')})`]),
    ...(auth === undefined ? [] : [`(${authText(output, auth)})`]),
    ...(limits === undefined ? [] : [`(${limitsText(limits)})`]),
    ...(secret === undefined ? [] : ['(with a webhook secret)']),
    ...(paused === null
      ? []
      : [`(paused since ${output.time(paused.since)}: ${PAUSE_CAUSES[paused.reason]})`]),
  ].join(' ')
}

function authText(output: Output, auth: NonNullable<Webhook['auth']>): string {
  const { basic, oauth2, clientCertificate } = auth
  if (basic) return `basic authentication as ${basic.user}`
  if (oauth2) return `OAuth 2 token for ${oauth2.clientId} from ${oauth2.tokenUrl}`
  if (clientCertificate === undefined) return 'bearer token'
  const { subject, expiresAt } = clientCertificate.certificate
  return `client certificate ${subject}, expires ${output.time(expiresAt)}`
}
