import type { ReactElement } from 'react'
import { Button } from '../design/controls/button.tsx'
import { setZone, useZone } from '../format/time-zone.ts'

/** Whether times are those of UTC or of this browser. */
export function ZoneSwitch(): ReactElement {
  const zone = useZone()
  return (
    <Button
      look="quiet"
      className="text-note min-h-7 px-2"
      title={zone === 'utc' ? 'Times are in UTC. Show local times.' : 'Times are local. Show UTC.'}
      onClick={() => setZone(zone === 'utc' ? 'local' : 'utc')}
    >
      {zone === 'utc' ? 'UTC' : 'Local time'}
    </Button>
  )
}
