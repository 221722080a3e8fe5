import type { ReactElement } from 'react'
import { api } from '../../api/client.ts'
import type { Deletion, Delivery } from '@hookline/cli/management-client'
import { usePages } from '../../api/use-pages.ts'
import { MoreButton } from '../../design/lists/more-button.tsx'
import { Loaded } from '../../design/states.tsx'
import { Time } from '../../design/texts/time.tsx'
import { useNames } from '../../domain/names.ts'
import { WebhookPart } from '../../domain/trace/webhook-part.tsx'
import { duration } from '../../format/figures.ts'
import { shownText } from '../../format/shown-text.ts'
import { refetchMsOf } from './deletion-facts.ts'

/** A delivery with a user instead of an event. */
type Notice = Pick<Delivery, 'id' | 'destinationId' | 'state' | 'webhooks' | 'attempts'> & {
  readonly userId: string | null
  readonly anonymousId: string | null
}

/** Each webhook's response to each notice. */
export function DeletionNotices({ deletion }: { readonly deletion: Deletion }): ReactElement {
  const query = usePages<Notice>({
    queryKey: ['deletions', 'notices', deletion.id, deletion.state],
    fetch: async (page, signal) => {
      const { data, nextCursor } = await api.listDeletionNotices(deletion.id, page, { signal })
      return { data: data as unknown as readonly Notice[], nextCursor }
    },
    refetchMs: () => refetchMsOf(deletion, Date.now()),
  })
  return (
    <section aria-labelledby="notices">
      <h3 id="notices" className="mb-1 font-semibold">
        Webhook responses
      </h3>
      <Loaded query={query}>
        {(notices) => (
          <ul className="divide-line border-line rounded-small divide-y border empty:hidden">
            {notices.map((notice) => (
              <NoticeItem key={notice.id} notice={notice} />
            ))}
          </ul>
        )}
      </Loaded>
      <MoreButton query={query}>Show more</MoreButton>
    </section>
  )
}

function NoticeItem({ notice }: { readonly notice: Notice }): ReactElement {
  const { userId, anonymousId, destinationId, webhooks, attempts } = notice
  const names = useNames()
  return (
    <li className="text-dense flex flex-col gap-1.5 px-3 py-2">
      <p>
        <span className="text-ink-faint">{userId === null ? 'anonymousId' : 'userId'}</span>{' '}
        <code>{shownText(userId ?? anonymousId ?? '', 80)}</code>{' '}
        <span className="text-ink-faint">to</span> {names.destination(destinationId)}
      </p>
      {webhooks.map((part) => (
        <div key={part.url}>
          <WebhookPart part={part} attempts={attempts} destinationId={destinationId} />
          {part.lastAttempt !== null && <LastAttempt attempt={part.lastAttempt} />}
        </div>
      ))}
    </li>
  )
}

interface LastAttemptProps {
  readonly attempt: NonNullable<Notice['webhooks'][number]['lastAttempt']>
}

function LastAttempt({ attempt }: LastAttemptProps): ReactElement {
  return (
    <p className="text-ink-soft">
      {attempt.status === undefined ? 'No response' : `Status ${attempt.status}`} after{' '}
      {duration(attempt.durationMs)}, attempt {attempt.number}, <Time at={attempt.startedAt} />.{' '}
      {attempt.status === undefined && attempt.error !== undefined && shownText(attempt.error)}
    </p>
  )
}
