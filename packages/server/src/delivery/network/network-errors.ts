export class DeadlineExceededError extends Error {
  override readonly name = 'DeadlineExceededError'
  readonly code = 'HOOKLINE_DEADLINE_PASSED'

  constructor(afterMs: number) {
    super(`No response within ${afterMs} ms.`)
  }
}

/** undici refused a response without giving a reason. */
export class ResponseUnreadableError extends Error {
  override readonly name = 'ResponseUnreadableError'
  readonly code = 'HOOKLINE_BAD_RESPONSE'

  constructor(cause: Error) {
    super('The response is not valid HTTP/1.1.', { cause })
  }
}

/**
 * The service stopped, or the attempt was no longer allowed to begin, so it counts neither as a success nor as a failure of
 * the receiver.
 */
export class AttemptAbortedError extends Error {
  override readonly name = 'AttemptAbortedError'

  constructor() {
    super('The attempt was aborted: the service stopped, or the delivery or its webhook changed.')
  }
}

export class AddressForbiddenError extends Error {
  override readonly name = 'AddressForbiddenError'
  readonly code = 'HOOKLINE_ADDRESS_FORBIDDEN'
  readonly address: string
  readonly why: string

  /** @param why completes the sentence "The address is …" */
  constructor(host: string, address: string, why: string) {
    const subject =
      host === address ? `The address ${address}` : `${host} resolves to ${address}, which`
    super(`${subject} is ${why}. To allow it, add its network to the allowedNetworks setting.`)
    this.address = address
    this.why = why
  }
}

export class RequestRefusedError extends Error {
  override readonly name = 'RequestRefusedError'
  readonly code = 'HOOKLINE_REQUEST_REFUSED'

  /** @param what completes "Hookline cannot send …" */
  constructor(what: string, options?: ErrorOptions) {
    super(`Hookline cannot send ${what}.`, options)
  }
}

export class PortForbiddenError extends Error {
  override readonly name = 'PortForbiddenError'
  readonly code = 'HOOKLINE_PORT_FORBIDDEN'

  constructor(port: number, service: string) {
    super(
      `Port ${port} is reserved for ${service}. To allow it, add it to the allowedPorts setting.`,
    )
  }
}

export class ProxyFailedError extends Error {
  override readonly name = 'ProxyFailedError'
  readonly code = 'HOOKLINE_PROXY_FAILED'

  static answered(status: number): ProxyFailedError {
    return status === 407
      ? new ProxyFailedError('The proxy rejected the credentials in the egressProxy setting (407).')
      : new ProxyFailedError(
          `The proxy responded with ${status} and did not connect to the receiver.`,
        )
  }

  static disconnected(cause: unknown): ProxyFailedError {
    const { code = 'unknown' } = cause as { readonly code?: string }
    const message = `The connection to the proxy in the egressProxy setting failed (${code}).`
    return new ProxyFailedError(message, { cause })
  }
}

export class MailRefusedError extends Error {
  override readonly name = 'MailRefusedError'
  readonly code = 'HOOKLINE_MAIL_REFUSED'
  readonly status: number
  readonly reply: string

  constructor(status: number, command: string, reply: string) {
    super(`The mail server responded with ${status} to ${command}.`)
    this.status = status
    this.reply = reply
  }
}

export class NameUnresolvedError extends Error {
  override readonly name = 'NameUnresolvedError'
  readonly code = 'HOOKLINE_NAME_UNRESOLVED'

  constructor(host: string, reason: string) {
    super(`Cannot resolve the host name ${host} (${reason}).`)
  }
}
