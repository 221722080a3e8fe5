import { useQuery } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { api } from '../../api/client.ts'
import type { Deletion } from '@hookline/cli/management-client'
import { problemOf } from '../../api/problem.ts'
import { sourcesQuery } from '../../api/queries.ts'
import { Button } from '../../design/controls/button.tsx'
import { FactList } from '../../design/lists/fact-list.tsx'
import { IdText } from '../../design/texts/id-text.tsx'
import { Modal } from '../../design/windows/modal.tsx'
import { StateBadge } from '../../design/state-badge.tsx'
import { Loaded } from '../../design/states.tsx'
import { Time } from '../../design/texts/time.tsx'
import { toast } from '../../design/windows/toasts.tsx'
import { counted } from '../../format/figures.ts'
import { shownText } from '../../format/shown-text.ts'
import { lookAgainMs, shownState, subjectsOf } from './deletion-facts.ts'
import { DeletionNotices } from './deletion-notices.tsx'
import { NotifiedTable } from './notified-table.tsx'
import { downloadReceipt } from './receipt.ts'

type OneDeletion = Deletion & {
  readonly userIds: readonly string[]
  readonly anonymousIds: readonly string[]
}

/** One deletion: what was removed, who was notified, and the receipt. It follows a deletion that is under way. */
export function DeletionDrawer({
  id,
  onClose,
}: {
  readonly id: string
  readonly onClose: () => void
}): ReactElement {
  const query = useQuery({
    queryKey: ['deletions', 'one', id],
    queryFn: async ({ signal }) => (await api.getDeletion(id, {}, { signal })) as OneDeletion,
    refetchInterval: ({ state }) => lookAgainMs(state.data, Date.now()),
  })
  return (
    <Modal
      title={query.data === undefined ? 'Deletion' : `Deletion of ${subjectsOf(query.data)}`}
      place="drawer"
      isOpen
      onClose={onClose}
    >
      <Loaded query={query} lines={8}>
        {(deletion) => <DeletionDetail deletion={deletion} />}
      </Loaded>
    </Modal>
  )
}

function DeletionDetail({ deletion }: { readonly deletion: OneDeletion }): ReactElement {
  const { words, ...badge } = shownState(deletion)
  return (
    <div className="flex flex-col gap-6">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <div role="status">
          <StateBadge {...badge}>{words}</StateBadge>
        </div>
        {deletion.purgedAt !== null && <ReceiptButton id={deletion.id} />}
      </div>
      <DeletionFacts deletion={deletion} />
      <DeletedIds deletion={deletion} />
      {deletion.purgedAt !== null && (
        <>
          <section aria-labelledby="notified">
            <h3 id="notified" className="mb-1 font-semibold">
              Destinations
            </h3>
            <NotifiedTable notifications={deletion.notifications} />
          </section>
          {deletion.notifications.length > 0 && <DeletionNotices deletion={deletion} />}
        </>
      )}
    </div>
  )
}

function DeletionFacts({ deletion }: { readonly deletion: OneDeletion }): ReactElement {
  const { suppress, suppressedAt, purged, purgedAt, createdAt } = deletion
  const { data: sources = [] } = useQuery(sourcesQuery)
  const nameOf = (id: string): string => sources.find((each) => each.id === id)?.name ?? id
  return (
    <FactList
      facts={[
        ['Id', <IdText key="id" id={deletion.id} />],
        ['Requested', <Time key="at" at={createdAt} form="full" />],
        [
          'Sources',
          deletion.sourceIds === null
            ? 'all, removed ones included'
            : shownText(deletion.sourceIds.map(nameOf).join(', ')),
        ],
        [
          'New events',
          !suppress ? (
            'are kept if the user comes back'
          ) : suppressedAt === null ? (
            'will not be kept'
          ) : (
            <span key="suppressed">
              are not kept since <Time at={suppressedAt} form="full" />
            </span>
          ),
        ],
        [
          'Removed',
          purgedAt === null ? (
            'not yet'
          ) : (
            <span key="purged">
              {counted(purged.events, 'event')}
              {purged.anonymousEvents > 0 &&
                ` (${purged.anonymousEvents} without a userId)`} and{' '}
              {counted(purged.deliveries, 'delivery', 'deliveries')}, with profiles and audiences;
              done <Time at={purgedAt} form="full" />
            </span>
          ),
        ],
      ]}
    />
  )
}

const SHOWN_IDS = 50

function DeletedIds({ deletion }: { readonly deletion: OneDeletion }): ReactElement {
  const { userIds, anonymousIds } = deletion
  const all = [
    ...userIds.map((id) => ['userId', id] as const),
    ...anonymousIds.map((id) => ['anonymousId', id] as const),
  ]
  return (
    <details open={all.length <= 5}>
      <summary className="font-semibold">Who was deleted: {counted(all.length, 'id')}</summary>
      <ul className="mt-1 flex flex-col">
        {all.slice(0, SHOWN_IDS).map(([kind, id]) => (
          <li key={`${kind}/${id}`} className="text-dense flex flex-wrap items-center gap-x-2">
            <span className="text-ink-faint">{kind}</span> <IdText id={id} what={`the ${kind}`} />
          </li>
        ))}
      </ul>
      {all.length > SHOWN_IDS && (
        <p className="text-ink-faint text-note">
          and {all.length - SHOWN_IDS} more: the receipt has all of them.
        </p>
      )}
    </details>
  )
}

function ReceiptButton({ id }: { readonly id: string }): ReactElement {
  const [isBusy, setBusy] = useState(false)
  const download = async (): Promise<void> => {
    setBusy(true)
    await downloadReceipt(id).catch((error: unknown) => toast(problemOf(error).message, 'failed'))
    setBusy(false)
  }
  return (
    <Button isBusy={isBusy} onClick={() => void download()}>
      Download the signed receipt
    </Button>
  )
}
