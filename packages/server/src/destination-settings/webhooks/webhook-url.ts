import { INSPECTOR_HOST, INSPECTOR_URL, LIMITS, portRefusal } from '@hookline/protocol'
import { type Fault, fault } from '../../util/fault.ts'

const MOST = LIMITS.webhookUrlCharacters

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
  return [
    fault(
      '',
      'not_the_inspector',
      `${INSPECTOR_HOST} is the inspector of Hookline, and only http leads to it.`,
      hint,
    ),
  ]
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
