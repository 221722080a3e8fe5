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
export function mailAddressesIn({ searchParams }: URL): MailAddresses | undefined {
  const { to: recipients = '', from, ...others } = Object.fromEntries(searchParams)
  const to = recipients.split(',').map((each) => each.trim())
  const all = from === undefined ? to : [...to, from]
  const isValid = all.every((each) => ADDRESS.test(each)) && to.length <= MAX_RECIPIENTS
  if (!isValid || Object.keys(others).length > 0) return undefined
  return { to, ...(from !== undefined && { from }) }
}
