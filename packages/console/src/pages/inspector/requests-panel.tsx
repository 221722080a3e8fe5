import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, type ReactElement, useRef, useState } from 'react'
import type { Destination } from '@hookline/cli/management-client'
import { api } from '../../api/client.ts'
import { useHasRole } from '../../api/session.ts'
import { usePages } from '../../api/use-pages.ts'
import { Button } from '../../design/controls/button.tsx'
import { Select, TextInput } from '../../design/controls/field.tsx'
import { ListFooter } from '../../design/lists/list-footer.tsx'
import { Panel } from '../../design/panel.tsx'
import { Empty, Loaded } from '../../design/states.tsx'
import { Confirm } from '../../design/dialogs/confirm.tsx'
import { toast } from '../../design/dialogs/toasts.tsx'
import { idChoices, useNames } from '../../domain/names.ts'
import { countText } from '../../format/figures.ts'
import { shownText } from '../../format/shown-text.ts'
import { useRowKeys } from '../../shell/keys/row-keys.ts'
import { useSetUrl, useUrlState } from '../../shell/url-state.ts'
import { RequestTable } from './request-table.tsx'
import type { FilterName } from './requests.ts'

const PAGE = 50
const REFETCH_MS = 1_500
const NO_FILTERS = { destination: undefined, delivery: undefined }

interface RequestsPanelProps {
  readonly stored: number
  /** The destinations that deliver to the inspector; `undefined` while loading. */
  readonly destinations: readonly Destination[] | undefined
}

/** The received requests, newest first; new ones appear by polling. */
export function RequestsPanel({ stored, destinations }: RequestsPanelProps): ReactElement {
  const [{ destination, delivery }] = useUrlState<FilterName>()
  const canEdit = useHasRole('editor')
  const query = usePages({
    queryKey: ['inspector', 'list', destination, delivery],
    fetch: (page, signal) =>
      api.listInspectedRequests(
        {
          ...page,
          limit: PAGE,
          ...(destination !== undefined && { destinationId: destination }),
          ...(delivery !== undefined && { deliveryId: delivery }),
        },
        { signal },
      ),
    refetchMs: () => REFETCH_MS,
  })
  const hasFilter = destination !== undefined || delivery !== undefined
  useRowKeys(query.data?.length ?? 0)
  return (
    <Panel
      title="Requests"
      actions={stored > 0 && canEdit && <ClearButton stored={stored} />}
      isFlush
    >
      {(stored > 0 || hasFilter) && <FilterBar destinations={destinations} />}
      <Loaded query={query} lines={6}>
        {(requests) =>
          requests.length > 0 ? (
            <>
              <RequestTable requests={requests} />
              <ListFooter query={query} count={requests.length} one="request" />
            </>
          ) : hasFilter ? (
            <NoMatches />
          ) : (
            <NoRequests destination={destinations?.[0]} />
          )
        }
      </Loaded>
    </Panel>
  )
}

function ClearButton({ stored }: Pick<RequestsPanelProps, 'stored'>): ReactElement {
  const client = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button onClick={() => setOpen(true)}>Clear…</Button>
      {isOpen && (
        <Confirm
          title={`Delete ${countText(stored, 'request')}?`}
          action="Delete"
          onClose={() => setOpen(false)}
          onConfirm={async () => {
            const { removed } = await api.clearInspector()
            await client.invalidateQueries({ queryKey: ['inspector'] })
            toast(`${countText(removed, 'request')} deleted.`)
          }}
        >
          <p>They are deleted for everyone. Events, deliveries and attempts are kept.</p>
        </Confirm>
      )}
    </>
  )
}

/** A selected destination applies immediately, a delivery ID with Enter. */
function FilterBar({ destinations = [] }: Pick<RequestsPanelProps, 'destinations'>): ReactElement {
  const [{ destination = '', delivery = '' }, setUrl] = useUrlState<FilterName>()
  const input = useRef<HTMLInputElement>(null)
  const names = useNames()
  const ids = [...destinations.map(({ id }) => id), destination]
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    setUrl({ delivery: input.current?.value.trim() })
  }
  return (
    <form
      role="search"
      aria-label="Filter requests"
      onSubmit={submit}
      className="flex flex-wrap items-center gap-2 px-4 pb-3"
    >
      <div className="w-72 max-w-full">
        <Select
          aria-label="Destination"
          value={destination}
          onPick={(picked) => setUrl({ destination: picked })}
          options={idChoices('All destinations', ids, names.destination)}
        />
      </div>
      <TextInput
        // Going back in the history fills the input again.
        key={delivery}
        ref={input}
        data-filter
        aria-label="Delivery ID"
        placeholder="Delivery: msg_…"
        className="max-w-72"
        maxLength={100}
        defaultValue={delivery}
      />
      <Button type="submit">Filter</Button>
      {(destination !== '' || delivery !== '') && (
        <Button variant="quiet" onClick={() => setUrl(NO_FILTERS)}>
          Clear filters
        </Button>
      )}
    </form>
  )
}

function NoMatches(): ReactElement {
  const setUrl = useSetUrl<FilterName>()
  return (
    <Empty
      title="No matching requests"
      action={<Button onClick={() => setUrl(NO_FILTERS)}>Show all requests</Button>}
    >
      Older requests are removed as newer ones arrive, and on a restart.
    </Empty>
  )
}

function NoRequests({ destination }: { readonly destination: Destination | undefined }) {
  const canEdit = useHasRole('editor')
  if (destination !== undefined)
    return (
      <Empty
        title="No requests yet"
        action={
          <Link
            to="/destinations/$id"
            params={{ id: destination.id }}
            search={{ tab: 'test' }}
            className="text-accent underline"
          >
            Send a test to {shownText(destination.name, 60)}
          </Link>
        }
      >
        Requests appear here as they arrive.
      </Empty>
    )
  return (
    <Empty
      title="No destination uses the inspector"
      action={
        canEdit && (
          <Link to="/destinations" search={{ new: '1' }} className="text-accent underline">
            Create a destination
          </Link>
        )
      }
    >
      {canEdit ? 'Create one that uses the built-in inspector.' : 'Ask an editor to create one.'}
    </Empty>
  )
}
