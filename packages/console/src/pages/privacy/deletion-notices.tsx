import { ATTEMPT_CLASSES, type AttemptClass } from '@hookline/protocol'
import { useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { api } from '../../api/client.ts'
import type { Deletion, Delivery } from '@hookline/cli/management-client'
import { destinationsQuery } from '../../api/queries.ts'
import { usePages } from '../../api/use-pages.ts'
import { Button } from '../../design/controls/button.tsx'
import { CodeBlock } from '../../design/texts/code-block.tsx'
import { StateBadge } from '../../design/state-badge.tsx'
import { Loaded } from '../../design/states.tsx'
import { Time } from '../../design/texts/time.tsx'
import { duration } from '../../format/figures.ts'
import { shownText } from '../../format/shown-text.ts'
import { lookAgainMs, type Shown } from './deletion-facts.ts'

/** A notice has the fields of a delivery, with a user in place of an event. */
type Notice = Pick<Delivery, 'id' | 'destinationId' | 'state' | 'webhooks' | 'attempts'> & {
  readonly userId: string | null
  readonly anonymousId: string | null
}

type Webhook = Delivery['webhooks'][number]

/** What each webhook responded to each notice. */
export function DeletionNotices({ deletion }: { readonly deletion: Deletion }): ReactElement {
  const { data: destinations = [] } = useQuery(destinationsQuery)
  const query = usePages<Notice>({
    queryKey: ['deletions', 'notices', deletion.id, deletion.state],
    fetch: async (page, signal) => {
      const { data, nextCursor } = await api.listDeletionNotices(deletion.id, page, { signal })
      return { data: data as unknown as readonly Notice[], nextCursor }
    },
    refetchMs: () => lookAgainMs(deletion, Date.now()),
  })
  return (
    <section aria-labelledby="notices">
      <h3 id="notices" className="mb-1 font-semibold">
        What each webhook responded
      </h3>
      <Loaded query={query}>
        {(notices) => (
          <ul className="divide-line border-line rounded-small divide-y border empty:hidden">
            {notices.map((notice) => (
              <NoticeItem
                key={notice.id}
                notice={notice}
                destination={
                  destinations.find(({ id }) => id === notice.destinationId)?.name ??
                  notice.destinationId
                }
              />
            ))}
          </ul>
        )}
      </Loaded>
      {query.hasNextPage && (
        <Button
          className="mt-2"
          isBusy={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          Show more notices
        </Button>
      )}
    </section>
  )
}

interface NoticeItemProps {
  readonly notice: Notice
  readonly destination: string
}

function NoticeItem({ notice, destination }: NoticeItemProps): ReactElement {
  return (
    <li className="text-dense flex flex-col gap-1.5 px-3 py-2">
      <p>
        <span className="text-ink-faint">{notice.userId === null ? 'anonymousId' : 'userId'}</span>{' '}
        <code>{shownText(notice.userId ?? notice.anonymousId ?? '', 80)}</code>{' '}
        <span className="text-ink-faint">to</span> {shownText(destination, 80)}
      </p>
      {notice.webhooks.map((webhook) => (
        <WebhookAnswer key={webhook.url} webhook={webhook} attempts={notice.attempts} />
      ))}
    </li>
  )
}

const STATES: Readonly<Record<Webhook['state'], Shown>> = {
  pending: { tone: 'waiting', words: 'Waiting' },
  held: { tone: 'held', words: 'Held' },
  delivered: { tone: 'delivered', words: 'Accepted' },
  rejected: { tone: 'failed', words: 'Refused' },
  expired: { tone: 'failed', words: 'Given up' },
  not_retried: { tone: 'declined', words: 'Not retried' },
  removed: { tone: 'declined', words: 'Webhook removed' },
}

interface WebhookAnswerProps {
  readonly webhook: Webhook
  readonly attempts: Notice['attempts']
}

function WebhookAnswer({ webhook, attempts }: WebhookAnswerProps): ReactElement {
  const { tone, words } = STATES[webhook.state]
  const body = attempts.find(({ id }) => id === webhook.last?.id)?.body
  return (
    <div className="flex flex-col gap-1">
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <StateBadge tone={tone}>{words}</StateBadge>
        <code className="min-w-0 break-all">{shownText(webhook.url)}</code>
      </p>
      <p className="text-ink-soft">
        {webhook.last === null ? 'There was no attempt yet.' : <LastAttempt last={webhook.last} />}{' '}
        {webhook.waiting !== null && shownText(webhook.waiting.explanation, 500)}
      </p>
      {body !== undefined && body !== '' && (
        <details>
          <summary className="text-ink-soft">The response body</summary>
          <CodeBlock text={body} what="the response body" className="mt-1" />
        </details>
      )}
    </div>
  )
}

function LastAttempt({ last }: { readonly last: NonNullable<Webhook['last']> }): ReactElement {
  const known = Object.hasOwn(ATTEMPT_CLASSES, last.class)
  const meaning = known ? ATTEMPT_CLASSES[last.class as AttemptClass].meaning : last.class
  return (
    <>
      {last.status === undefined ? 'No response' : `Status ${last.status}`} after{' '}
      {duration(last.durationMs)}, attempt {last.number}, <Time at={last.startedAt} />.{' '}
      {last.outcome !== 'delivered' && meaning}{' '}
      {last.status === undefined && last.error !== undefined && shownText(last.error)}
    </>
  )
}
