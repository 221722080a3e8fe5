import type { Destination } from '@hookline/protocol'
import Type from 'typebox'
import { type Fault, fault, jsonPointer } from '../../util/fault.ts'
import type { AdminDeps } from '../api/admin-deps.ts'

const HINT =
  'The operator opens the network with the setting allowedNetworks and a restart; or give another URL. Until then, the first delivery pauses the webhook, and its deliveries are held.'

/** What the settings have that will not work as they are, in the form of faults. */
export const WarningsResponse = Type.Array(
  Type.Object({
    pointer: Type.String(),
    code: Type.String(),
    message: Type.String(),
    hint: Type.String(),
  }),
  {
    description:
      'What will not work as it is: webhooks whose address the setting allowedNetworks forbids, as far as the URL shows it.',
  },
)

/**
 * A warning for each webhook whose URL shows that its address is forbidden (spec 02 §What an answer means). No refusal: the
 * settings of Hookline decide, and they may change. Names are not looked up here.
 */
export function urlWarnings(
  { settings }: Destination,
  { addressRefusal }: Pick<AdminDeps, 'addressRefusal'>,
): readonly Fault[] {
  return settings.webhooks.flatMap(({ url }, index) => {
    const { hostname } = new URL(url)
    const why = addressRefusal(addressOf(hostname))
    if (why === undefined) return []
    const pointer = jsonPointer('settings', 'webhooks', index, 'url')
    const message = `The address ${hostname} is ${why}, so the webhook gets nothing.`
    return fault(pointer, 'address_forbidden', message, HINT)
  })
}

/** The address in the host of a URL, or that every machine gives to the name. */
function addressOf(hostname: string): string {
  if (hostname === 'localhost' || hostname.endsWith('.localhost')) return '127.0.0.1'
  return hostname.replaceAll(/[[\]]/g, '')
}
