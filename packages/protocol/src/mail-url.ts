/** Whether a webhook is a mail server: `smtp://` or `smtps://`. */
export function isMailUrl(url: string): boolean {
  return /^smtps?:/.test(url)
}

/** An address that needs no quotes. */
const ADDRESS = /^[\w.!#$%&'*+/=?^`~-]+@[\w-]+(?:\.[\w-]+)*$/

const MAX_RECIPIENTS = 20

interface MailAddresses {
  readonly to: readonly string[]
  /** Absent: the user, if it is an address, or the first recipient. */
  readonly from?: string
}

/** The addresses in the query, like `?to=a@example.com,b@example.com&from=c@example.com`; `undefined` if they are invalid. */
export function mailAddressesIn({ search }: URL): MailAddresses | undefined {
  // In an address, a plus sign is not a space.
  const query = new URLSearchParams(search.replaceAll('+', '%2B'))
  const to = query
    .getAll('to')
    .flatMap((each) => each.split(','))
    .map((each) => each.trim())
  const [from, ...others] = query.getAll('from')
  const all = from === undefined ? to : [...to, from]
  const isKnown = [...query.keys()].every((name) => name === 'to' || name === 'from')
  const isCount = to.length > 0 && to.length <= MAX_RECIPIENTS && others.length === 0
  if (!isKnown || !isCount || !all.every((each) => ADDRESS.test(each))) return undefined
  return { to, ...(from !== undefined && { from }) }
}

/** The port of the URL of a mail server. */
export function mailPortOf({ protocol, port }: Pick<URL, 'protocol' | 'port'>): number {
  return Number(port) || (protocol === 'smtps:' ? 465 : 587)
}
