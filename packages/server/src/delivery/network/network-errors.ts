export class DeadlinePassed extends Error {
  override readonly name = 'DeadlinePassed'
  readonly code = 'HOOKLINE_DEADLINE_PASSED'

  constructor(afterMs: number) {
    super(`No response came within ${afterMs} ms.`)
  }
}

/** undici refused a response without a reason. */
export class ResponseUnreadable extends Error {
  override readonly name = 'ResponseUnreadable'
  readonly code = 'HOOKLINE_BAD_RESPONSE'

  constructor(cause: Error) {
    super('The response is not valid HTTP/1.1.', { cause })
  }
}

/** The service stops before the end of the attempt, which is neither a success nor a failure of the receiver. */
export class AttemptAborted extends Error {
  override readonly name = 'AttemptAborted'

  constructor() {
    super('The service stopped before a response came.')
  }
}

export class AddressForbidden extends Error {
  override readonly name = 'AddressForbidden'
  readonly code = 'HOOKLINE_ADDRESS_FORBIDDEN'
  readonly address: string
  readonly why: string

  /** @param why completes the sentence "The address is …" */
  constructor(host: string, address: string, why: string) {
    const subject = host === address ? `The address ${address}` : `${host} is at ${address}, which`
    super(`${subject} is ${why}. The setting allowedNetworks opens what may be reached.`)
    this.address = address
    this.why = why
  }
}

export class RequestRefused extends Error {
  override readonly name = 'RequestRefused'
  readonly code = 'HOOKLINE_REQUEST_REFUSED'

  /** @param what completes "Hookline cannot send …" */
  constructor(what: string, options?: ErrorOptions) {
    super(`Hookline cannot send ${what}.`, options)
  }
}

export class PortForbidden extends Error {
  override readonly name = 'PortForbidden'
  readonly code = 'HOOKLINE_PORT_FORBIDDEN'

  constructor(port: number, service: string) {
    super(`Port ${port} is for ${service}. The setting allowedPorts opens what may be reached.`)
  }
}

export class ProxyFailed extends Error {
  override readonly name = 'ProxyFailed'
  readonly code = 'HOOKLINE_PROXY_FAILED'

  static answered(status: number): ProxyFailed {
    return status === 407
      ? new ProxyFailed('The proxy refused the credentials of the setting egressProxy (407).')
      : new ProxyFailed(`The proxy answered ${status}, and made no connection to the receiver.`)
  }

  static unreachable(cause: unknown): ProxyFailed {
    const { code = 'unknown' } = cause as { readonly code?: string }
    const message = `The proxy of the setting egressProxy could not be reached (${code}).`
    return new ProxyFailed(message, { cause })
  }
}

export class NameUnresolved extends Error {
  override readonly name = 'NameUnresolved'
  readonly code = 'HOOKLINE_NAME_UNRESOLVED'

  constructor(host: string, reason: string) {
    super(`The name ${host} could not be resolved (${reason}).`)
  }
}
