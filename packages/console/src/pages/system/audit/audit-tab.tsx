import type { ReactElement } from 'react'
import { api } from '../../../api/client.ts'
import { usePages } from '../../../api/use-pages.ts'
import { MoreButton } from '../../../design/lists/more-button.tsx'
import { Panel } from '../../../design/panel.tsx'
import { Empty, Loaded } from '../../../design/states.tsx'
import { useUrlState } from '../../../shell/url-state.ts'
import { AuditDrawer } from './audit-drawer.tsx'
import type { AuditEntry } from './audit-facts.ts'
import { AuditFilter } from './audit-filter.tsx'
import { AuditTable } from './audit-table.tsx'

const PAGE_SIZE = 50
const REFETCH_MS = 5_000

export function AuditTab(): ReactElement {
  const [{ actor, action, target, entry: openId }, setUrl] = useUrlState<
    'actor' | 'action' | 'target' | 'entry'
  >()
  const filter = {
    ...(actor !== undefined && { actorId: actor }),
    ...(action !== undefined && { action }),
    ...(target !== undefined && { targetId: target }),
  }
  const query = usePages<AuditEntry>({
    queryKey: ['audit', filter],
    fetch: (page, signal) => api.listAudit({ ...page, ...filter, limit: PAGE_SIZE }, { signal }),
    // No polling once older pages are loaded.
    refetchMs: (entries) => (entries.length <= PAGE_SIZE ? REFETCH_MS : false),
  })
  return (
    <Panel isFlush>
      <h2 className="sr-only">Audit log</h2>
      <AuditFilter />
      <Loaded query={query} lines={8}>
        {(entries) =>
          entries.length === 0 ? (
            <Empty title="No matching entries">
              Names and IDs must match exactly. The auditRetention setting determines how long
              entries are kept.
            </Empty>
          ) : (
            <AuditTable entries={entries} />
          )
        }
      </Loaded>
      <MoreButton query={query}>Show older entries</MoreButton>
      {openId !== undefined && query.data !== undefined && (
        <AuditDrawer
          entry={query.data.find(({ id }) => id === openId)}
          onClose={() => setUrl({ entry: undefined })}
        />
      )}
    </Panel>
  )
}
