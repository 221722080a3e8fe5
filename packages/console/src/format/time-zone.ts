import { storedValue } from './stored-value.ts'

export type Zone = 'utc' | 'local'

/** The time zone of all displayed times. */
export const { useValue: useZone, set: setZone } = storedValue('hookline-zone', (stored): Zone =>
  stored === 'local' ? 'local' : 'utc',
)
