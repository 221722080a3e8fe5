import { useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { useMay } from '../../../api/session.ts'
import { Loaded } from '../../../design/states.tsx'
import { systemQuery } from '../../../domain/system.ts'
import { BacklogPanel } from './backlog-panel.tsx'
import { BackupPanel } from './backup-panel.tsx'
import { ChecksPanel } from './checks-panel.tsx'
import { DamagesPanel } from './damages-panel.tsx'
import { ServicePanel } from './service-panel.tsx'
import { StoragePanel } from './storage-panel.tsx'

/** How the service is: whether it works, what it stores, what waits. */
export function OverviewTab(): ReactElement {
  const isAdmin = useMay('admin')
  return (
    <Loaded query={useQuery(systemQuery)} lines={9}>
      {(system) => (
        <div className="grid items-start gap-4 lg:grid-cols-2">
          <ChecksPanel system={system} />
          <ServicePanel system={system} />
          <StoragePanel storage={system.storage} />
          <BacklogPanel backlog={system.backlog} />
          {isAdmin && <BackupPanel lastBackupAt={system.lastBackupAt} />}
          {system.damages !== null && <DamagesPanel damages={system.damages} />}
        </div>
      )}
    </Loaded>
  )
}
