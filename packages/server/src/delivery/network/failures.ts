/** The deadline of an attempt passed before the last response header came. */
export class DeadlinePassed extends Error {
  override readonly name = 'DeadlinePassed'
  readonly code = 'HOOKLINE_DEADLINE_PASSED'

  constructor(afterMs: number) {
    super(`No answer came within ${afterMs} ms.`)
  }
}

/** A webhook's host is, or its name resolves to, an address that may not be reached. Nothing was sent there. */
export class AddressForbidden extends Error {
  override readonly name = 'AddressForbidden'
  readonly code = 'HOOKLINE_ADDRESS_FORBIDDEN'

  /** @param why what the address is: completes "is …" */
  constructor(host: string, address: string, why: string) {
    const subject = host === address ? `The address ${address}` : `${host} is at ${address}, which`
    super(`${subject} is ${why}. The setting allowedNetworks opens what may be reached.`)
  }
}

/** The port of a webhook is not for web servers. Nothing was sent there. */
export class PortForbidden extends Error {
  override readonly name = 'PortForbidden'
  readonly code = 'HOOKLINE_PORT_FORBIDDEN'

  /** @param service what the port is for */
  constructor(port: number, service: string) {
    super(`Port ${port} is for ${service}. The setting allowedPorts opens what may be reached.`)
  }
}

/** A name that no source of addresses knows, or none could be asked about. */
export class NameUnresolved extends Error {
  override readonly name = 'NameUnresolved'
  readonly code = 'HOOKLINE_NAME_UNRESOLVED'

  constructor(host: string, reason: string) {
    super(`The name ${host} could not be resolved (${reason}).`)
  }
}
