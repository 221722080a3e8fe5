import type { ReactElement } from 'react'
import { FactList } from '../../../design/lists/fact-list.tsx'
import { Panel } from '../../../design/panel.tsx'
import { Time } from '../../../design/texts/time.tsx'
import type { System } from '../../../domain/system.ts'
import { bytes, duration, wholeNumber } from '../../../format/figures.ts'

/** What is stored, for how long, and what the disk has left. */
export function StoragePanel({ storage }: { readonly storage: System['storage'] }): ReactElement {
  const { usedBytes, databaseBytes, logBytes, freeBytes, oldestEventAt } = storage
  const count = wholeNumber(storage.events)
  const most = storage.retentionMaxBytes
  return (
    <Panel title="Storage">
      <FactList
        facts={[
          ['Used', bytes(usedBytes)],
          ['Database file', bytes(databaseBytes)],
          ['Write-ahead log', bytes(logBytes)],
          ['Free on the disk', freeBytes === null ? undefined : bytes(freeBytes)],
          ['Events', storage.isExact ? count : `about ${count}`],
          ['Oldest event', oldestEventAt === null ? 'none yet' : <Time at={oldestEventAt} />],
          [
            'Events are kept',
            `for ${duration(storage.retentionMs)}${most === null ? '' : `, up to ${bytes(most)}`}`,
          ],
        ]}
      />
    </Panel>
  )
}
