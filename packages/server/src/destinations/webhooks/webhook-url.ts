import { LIMITS, portRefusal } from '@hookline/protocol'
import { type Fault, fault } from '../../util/fault.ts'

const MOST = LIMITS.webhookUrlCharacters

/** What a URL is read with. */
export interface UrlReading {
  /** Ports that are not for web servers, and yet allowed. */
  readonly allowedPorts: ReadonlySet<number>
  /** Takes what is found wrong. */
  readonly faults: Fault[]
}

/**
 * The URL of a webhook as WHATWG URL parsing writes it, or `undefined` where it breaks a rule. Whether
 * its address may be reached is decided at each attempt, when the name is looked up.
 */
export function parseWebhookUrl(
  given: unknown,
  pointer: string,
  { allowedPorts, faults }: UrlReading,
): string | undefined {
  const found = typeof given === 'string' ? faultsOf(given, allowedPorts) : [missing(given)]
  faults.push(...found.map((each) => ({ ...each, pointer })))
  return typeof given === 'string' && found.length === 0 ? new URL(given).href : undefined
}

function missing(given: unknown): Fault {
  const hint = 'Give a full URL: https://example.com/events.'
  return given === undefined
    ? fault('', 'required', 'The URL is missing.', hint)
    : fault('', 'wrong_type', 'The URL must be a text.', hint)
}

function faultsOf(text: string, allowedPorts: ReadonlySet<number>): Fault[] {
  const url = URL.parse(text)
  if (url !== null && url.protocol !== 'http:' && url.protocol !== 'https:') {
    const hint = 'Begin the URL with https:// or http://.'
    return [fault('', 'scheme_not_allowed', 'Only http and https can be delivered to.', hint)]
  }
  // WHATWG parsing takes `http:host` and `http:///host` too, where the host is likely not what was meant.
  if (url === null || !/^\s*https?:\/\/[^/\\?#]/i.test(text)) {
    const hint = 'Give a full URL with protocol and host: https://example.com/events.'
    return [fault('', 'invalid_url', 'The URL cannot be read.', hint)]
  }
  return [...brokenRules(text, url), ...portFaults(url, allowedPorts)]
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
  if (Math.max(text.length, url.href.length) > MOST) {
    const hint = `Keep it at ${MOST} characters or fewer, percent-encoding included.`
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
