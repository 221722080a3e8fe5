import type { ReactElement } from 'react'
import type { Destination } from '@hookline/cli/management-client'
import { Button } from '../../design/controls/button.tsx'
import { Panel } from '../../design/panel.tsx'
import { Loaded } from '../../design/states.tsx'
import { listed } from '../../format/figures.ts'
import { useRowKeys } from '../../shell/keys/row-keys.ts'
import { useUrlState } from '../../shell/url-state.ts'
import { ClearButton } from './clear-button.tsx'
import { NoRequests } from './no-requests.tsx'
import { RequestFilterBar } from './request-filter-bar.tsx'
import { RequestTable } from './request-table.tsx'
import type { FilterName, ListedRequest } from './requests.ts'
import { useRequests } from './use-requests.ts'

interface RequestsPanelProps {
  /** How many requests are kept. */
  readonly kept: number
  /** The destinations that deliver to the inspector; `undefined` until they are known. */
  readonly destinations: readonly Destination[] | undefined
}

/** What came, newest first, and what comes. */
export function RequestsPanel({ kept, destinations }: RequestsPanelProps): ReactElement {
  const [{ destination, delivery }] = useUrlState<FilterName>()
  const query = useRequests({ destination, delivery })
  const hasFilter = destination !== undefined || delivery !== undefined
  return (
    <Panel title="Requests" actions={kept > 0 && <ClearButton kept={kept} />} isFlush>
      {(kept > 0 || hasFilter) && <RequestFilterBar destinations={destinations} />}
      <Loaded query={query} lines={6}>
        {(requests) =>
          requests.length === 0 ? (
            <NoRequests hasFilter={hasFilter} destinations={destinations} />
          ) : (
            <RequestList
              requests={requests}
              hasMore={query.hasNextPage}
              isBusy={query.isFetchingNextPage}
              onMore={() => void query.fetchNextPage()}
            />
          )
        }
      </Loaded>
    </Panel>
  )
}

interface RequestListProps {
  readonly requests: readonly ListedRequest[]
  readonly hasMore: boolean
  readonly isBusy: boolean
  readonly onMore: () => void
}

function RequestList({ requests, hasMore, isBusy, onMore }: RequestListProps): ReactElement {
  useRowKeys(requests.length)
  return (
    <>
      <RequestTable requests={requests} />
      <footer className="text-ink-faint border-line text-note flex flex-wrap items-center gap-3 border-t px-4 py-2">
        <span>{listed(hasMore, requests.length, 'request')} New ones appear by themselves.</span>
        {hasMore && (
          <Button isBusy={isBusy} onClick={onMore}>
            Load older
          </Button>
        )}
      </footer>
    </>
  )
}
