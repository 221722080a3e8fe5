import { formatTimestamp, type Pause } from '@hookline/protocol'
import Type from 'typebox'
import { nullable, time } from '../api/schema-parts.ts'

/** A pause as the API shows it; `null` if there is none. */
export const PauseResponse = nullable(
  Type.Object(
    {
      since: time,
      reason: Type.Enum(['operator', 'gone', 'forbidden'], {
        description:
          'gone: the receiver responded with 410 three times in a row, a minute apart. forbidden: its address or port is forbidden by allowedNetworks or allowedPorts; it is tried again after each start of Hookline.',
      }),
    },
    {
      description:
        'null while deliveries are attempted; otherwise since when and why they are held.',
    },
  ),
)

/** The pause as the API shows it. */
export function presentPause(pause: Pause | null): object | null {
  return pause && { ...pause, since: formatTimestamp(pause.since) }
}
