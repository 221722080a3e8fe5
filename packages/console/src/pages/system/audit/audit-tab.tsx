import type { ReactElement } from 'react'
import { api } from '../../../api/client.ts'
import { usePages } from '../../../api/use-pages.ts'
import { Button } from '../../../design/controls/button.tsx'
import { Panel } from '../../../design/panel.tsx'
import { Empty, Loaded } from '../../../design/states.tsx'
import { useUrlState } from '../../../shell/url-state.ts'
import { AuditDrawer } from './audit-drawer.tsx'
import type { AuditEntry } from './audit-facts.ts'
import { AuditFilterBar } from './audit-filter.tsx'
import { AuditTable } from './audit-table.tsx'

const PAGE = 50
const REFETCH_MS = 5_000

/** Who has changed what, newest first. */
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
    fetch: (page, signal) => api.listAudit({ ...page, ...filter, limit: PAGE }, { signal }),
    // Somebody who reads older pages is not disturbed.
    refetchMs: (entries) => (entries.length <= PAGE ? REFETCH_MS : false),
  })
  return (
    <Panel isFlush>
      <h2 className="sr-only">Audit log</h2>
      <AuditFilterBar />
      <Loaded query={query} lines={8}>
        {(entries) => (entries.length === 0 ? <NoEntry /> : <AuditTable entries={entries} />)}
      </Loaded>
      {query.hasNextPage && (
        <div className="p-4">
          <Button isBusy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            Show older entries
          </Button>
        </div>
      )}
      {openId !== undefined && query.data !== undefined && (
        <AuditDrawer
          entry={query.data.find(({ id }) => id === openId)}
          onClose={() => setUrl({ entry: undefined })}
        />
      )}
    </Panel>
  )
}

function NoEntry(): ReactElement {
  return (
    <Empty title="No entry">
      Nobody has changed anything that matches. Ids and actions are compared exactly. Entries are
      kept for as long as the setting auditRetention says.
    </Empty>
  )
}
