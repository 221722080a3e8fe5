/** The deadline of an attempt passed before the last response header came. */
export class DeadlinePassed extends Error {
  override readonly name = 'DeadlinePassed'
  readonly code = 'HOOKLINE_DEADLINE_PASSED'

  constructor(afterMs: number) {
    super(`No response came within ${afterMs} ms.`)
  }
}

/** undici gave up on a response, and its error does not say why. */
export class ResponseUnreadable extends Error {
  override readonly name = 'ResponseUnreadable'
  readonly code = 'HOOKLINE_BAD_RESPONSE'

  constructor(cause: Error) {
    super('The response is not valid HTTP/1.1.', { cause })
  }
}

/** The service stops, and waits no longer for this attempt. It is neither a success nor a failure of the receiver. */
export class AttemptAborted extends Error {
  override readonly name = 'AttemptAborted'

  constructor() {
    super('The service stopped before a response came.')
  }
}

/** The host of a webhook is, or resolves to, an address that may not be reached. Nothing was sent to it. */
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

/** Hookline cannot send the request that the settings of the webhook ask for. Nothing was sent. */
export class RequestRefused extends Error {
  override readonly name = 'RequestRefused'
  readonly code = 'HOOKLINE_REQUEST_REFUSED'

  /** @param what completes "Hookline cannot send …" */
  constructor(what: string, options?: ErrorOptions) {
    super(`Hookline cannot send ${what}.`, options)
  }
}

/** The port of a webhook is not for web servers. Nothing was sent to it. */
export class PortForbidden extends Error {
  override readonly name = 'PortForbidden'
  readonly code = 'HOOKLINE_PORT_FORBIDDEN'

  /** @param service the service that the port is for */
  constructor(port: number, service: string) {
    super(`Port ${port} is for ${service}. The setting allowedPorts opens what may be reached.`)
  }
}

/** The proxy of the setting `egressProxy` made no connection to the receiver. Nothing was sent to it. */
export class ProxyFailed extends Error {
  override readonly name = 'ProxyFailed'
  readonly code = 'HOOKLINE_PROXY_FAILED'

  /** The proxy responded to CONNECT with this status. */
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

/** A name that has no addresses, or that could not be looked up. */
export class NameUnresolved extends Error {
  override readonly name = 'NameUnresolved'
  readonly code = 'HOOKLINE_NAME_UNRESOLVED'

  constructor(host: string, reason: string) {
    super(`The name ${host} could not be resolved (${reason}).`)
  }
}
