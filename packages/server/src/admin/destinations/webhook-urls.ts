import {
  type Destination,
  INSPECTOR_HOST,
  INSPECTOR_URL,
  LIMITS,
  portRefusal,
  URL_FIELDS,
} from '@hookline/protocol'
import { isIPv4 } from 'node:net'
import Type from 'typebox'
import { type Fault, fault, faultsBelow, jsonPointer, typeFault } from '../../util/fault.ts'
import { invalidTemplate, withReadableTemplates } from '../../routing/url-template.ts'
import * as Schema from '../api/schema.ts'

const MAX_CHARACTERS = LIMITS.webhookUrlCharacters

export interface UrlContext {
  /** Ports that are allowed although they are not for web servers. */
  readonly allowedPorts: ReadonlySet<number>
  /** The parser appends to them. */
  readonly faults: Fault[]
}

/**
 * Parses and normalises the URL of a webhook (WHATWG URL standard); `undefined` if it is invalid. The address is checked at
 * each attempt, after the DNS lookup.
 */
export function parseWebhookUrl(
  input: unknown,
  pointer: string,
  { allowedPorts, faults }: UrlContext,
): string | undefined {
  if (typeof input !== 'string') {
    const hint = 'Use a full URL: https://example.com/events.'
    faults.push(typeFault(input, pointer, { name: 'The URL', type: 'a string' }, hint))
    return undefined
  }
  const found = faultsOf(input, allowedPorts)
  faults.push(...faultsBelow(pointer, found))
  return found.length === 0 ? withReadableTemplates(new URL(input).href) : undefined
}

function faultsOf(text: string, allowedPorts: ReadonlySet<number>): Fault[] {
  const invalid = invalidTemplate(text)
  if (invalid !== undefined) return [templateFault(invalid)]
  const url = URL.parse(text)
  if (url !== null && url.protocol !== 'http:' && url.protocol !== 'https:') {
    const hint = 'Start the URL with https:// or http://.'
    return [fault('', 'scheme_not_allowed', 'Only http and https URLs are allowed.', hint)]
  }
  // The WHATWG parser also accepts `http:host` and `http:///host`.
  if (url === null || !/^\s*https?:\/\/[^/\\?#]/i.test(text)) {
    const hint = 'Use a full URL with protocol and host: https://example.com/events.'
    return [fault('', 'invalid_url', 'The URL cannot be parsed.', hint)]
  }
  const isInspector = url.hostname === INSPECTOR_HOST
  const origin = isInspector ? inspectorFaults(url) : portFaults(url, allowedPorts)
  return [...formFaults(text, url), ...origin]
}

const TEMPLATES = URL_FIELDS.map((field) => `{{${field}}}`).join(', ')

function templateFault(invalid: NonNullable<ReturnType<typeof invalidTemplate>>): Fault {
  if (invalid.kind === 'misplaced') {
    const hint = `Use ${TEMPLATES} only in the path and the query of a full URL: https://example.com/users/{{userId}}.`
    const message = 'The scheme, host and port of a URL must not contain templates.'
    return fault('', 'template_not_allowed', message, hint)
  }
  const hint = `Use one of ${TEMPLATES}, without spaces. Write other braces as %7B and %7D.`
  return fault('', 'unknown_template', `Unknown template in the URL: ${invalid.template}`, hint)
}

function inspectorFaults({ protocol, port }: URL): Fault[] {
  if (protocol === 'http:' && port === '') return []
  const hint = `Use ${INSPECTOR_URL}, with any path: the inspector has neither TLS nor a port.`
  const message = `${INSPECTOR_HOST} is the built-in inspector, which only supports http.`
  return [fault('', 'not_the_inspector', message, hint)]
}

function portFaults({ port }: URL, allowedPorts: ReadonlySet<number>): Fault[] {
  const service = port === '' ? undefined : portRefusal(Number(port), allowedPorts)
  if (service === undefined) return []
  const hint = 'Use another port. Operators can allow this one with the allowedPorts setting.'
  return [fault('', 'port_not_allowed', `Port ${port} is reserved for ${service}.`, hint)]
}

function formFaults(text: string, url: URL): Fault[] {
  const faults: Fault[] = []
  if (Math.max(text.length, withReadableTemplates(url.href).length) > MAX_CHARACTERS) {
    const hint = `Use at most ${MAX_CHARACTERS} characters, including percent-encoding.`
    faults.push(fault('', 'too_long', 'The URL is too long.', hint))
  }
  if (url.username !== '' || url.password !== '') {
    const hint = 'Put credentials into a static header: "headers": {"Authorization": "…"}.'
    faults.push(fault('', 'credentials_in_url', 'The URL contains credentials.', hint))
  }
  if (url.href.includes('#')) {
    const hint = 'Remove # and everything after it: it is never sent.'
    faults.push(fault('', 'fragment_in_url', 'The URL has a fragment.', hint))
  }
  return faults
}

/** Maximum hosts that one request looks up. */
const MAX_HOSTS = 100

/** Webhooks that cannot receive anything now, as faults. */
export const WarningsResponse = Type.Array(Schema.FaultResponse, {
  description:
    'Webhooks that currently cannot receive anything. address_forbidden: the allowedNetworks setting forbids the address. name_unresolved: the name has no address; names are looked up when a destination is created, changed, imported or tested.',
})

/** Why webhooks of a host receive nothing at the moment. `why` completes "is …". */
type HostProblem =
  | { readonly kind: 'forbidden'; readonly address: string; readonly why: string }
  | { readonly kind: 'unresolved' }

export interface UrlChecks {
  /** Looks up the host, for at most a second. Never rejects. */
  readonly hostProblem: (host: string) => Promise<HostProblem | undefined>
}

/**
 * A warning for each webhook that receives nothing at the moment, after a lookup of its name.
 * They are not refused, because names and Hookline's settings may change.
 * @param at the pointer to the list of destinations; absent for a single one
 */
export async function hostWarnings(
  destinations: readonly (Destination | undefined)[],
  { hostProblem }: UrlChecks,
  at?: string,
): Promise<readonly Fault[]> {
  const webhooks = destinations.flatMap((each, index) =>
    each === undefined ? [] : webhooksOf(each, at === undefined ? '' : `${at}/${index}`),
  )
  const hosts = [...new Set(webhooks.map(({ host }) => host))].slice(0, MAX_HOSTS)
  const problems = new Map(
    await Promise.all(hosts.map(async (host) => [host, await hostProblem(host)] as const)),
  )
  return webhooks.flatMap(({ pointer, host }) => warning(pointer, host, problems.get(host)))
}

function webhooksOf({ settings }: Destination, at: string) {
  return settings.webhooks.map(({ url }, index) => ({
    pointer: at + jsonPointer('settings', 'webhooks', index, 'url'),
    host: new URL(url).hostname.replaceAll(/[[\]]/g, ''),
  }))
}

function warning(pointer: string, host: string, problem: HostProblem | undefined): Fault[] {
  if (problem === undefined) return []
  if (problem.kind === 'unresolved') {
    const message = `${host} currently has no address, so the webhook cannot receive anything.`
    const hint = 'Check its spelling and its DNS records. Deliveries are retried.'
    return [fault(pointer, 'name_unresolved', message, hint)]
  }
  const { address, why } = problem
  const subject =
    host === address ? `The address ${address}` : `${host} resolves to ${address}, which`
  const message = `${subject} is ${why}, so the webhook cannot receive anything.`
  return [fault(pointer, 'address_forbidden', message, hintFor(address))]
}

function hintFor(address: string): string {
  const network = address.startsWith('127.')
    ? '127.0.0.0/8'
    : `${address}/${isIPv4(address) ? 32 : 128}`
  return `Use another URL, or add ${network} to the allowedNetworks setting and restart: \`hookline start --allowed-networks ${network}\`. Until then, the first delivery pauses the webhook, and its deliveries are held.`
}
