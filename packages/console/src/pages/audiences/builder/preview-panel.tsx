import type { Json } from '@hookline/protocol'
import type { ReactElement } from 'react'
import { problemOf } from '../../../api/problem.ts'
import { Panel } from '../../../design/panel.tsx'
import { Time } from '../../../design/texts/time.tsx'
import { UserLink } from '../../../domain/user-link.tsx'
import { counted } from '../../../format/figures.ts'
import { shownText } from '../../../format/shown-text.ts'
import { valueWords } from '../draft/words.ts'
import { unknownEvents } from '../draft/unknown-events.ts'
import { AUDIENCES, type ComputationKind, type Preview } from '../record/computation-kind.ts'
import { useBuilder } from './builder-context.ts'
import type { usePreview } from './use-preview.ts'

interface PreviewPanelProps {
  readonly kind: ComputationKind
  readonly definition: Json | undefined
  readonly preview: ReturnType<typeof usePreview>
  readonly space: string
  /** What is missing before it can be counted, in words. */
  readonly waitsFor: string | undefined
}

/** How many users there would be, and some of them. It follows what is written. */
export function PreviewPanel(props: PreviewPanelProps): ReactElement {
  const { kind, definition, preview, space, waitsFor } = props
  const { data, error, isFetching } = preview
  const { suggestions } = useBuilder()
  const unknown = unknownEvents(definition, suggestions)
  return (
    <Panel title="Preview">
      <div aria-live="polite" aria-busy={isFetching} className="flex flex-col gap-2">
        {waitsFor !== undefined ? (
          <p className="text-ink-soft">{waitsFor}</p>
        ) : error !== null ? (
          <p className="text-failed">{problemOf(error).message}</p>
        ) : data === undefined ? (
          <p className="text-ink-soft">Counting…</p>
        ) : data.size === 0 && unknown.length > 0 ? (
          <p className="text-ink-soft">
            No user yet. Among the newest events, none has the name{' '}
            {unknown.map((name) => `“${shownText(name, 60)}”`).join(' or ')}.
          </p>
        ) : (
          <Counted kind={kind} data={data} space={space} isOld={preview.isPlaceholderData} />
        )}
      </div>
    </Panel>
  )
}

interface CountedProps {
  readonly kind: ComputationKind
  readonly data: Preview
  readonly space: string
  readonly isOld: boolean
}

function Counted({ kind, data, space, isOld }: CountedProps): ReactElement {
  const { size, isExact, sample, reachesBackTo } = data
  return (
    <>
      <p className={isOld ? 'text-figure text-ink-faint' : 'text-figure'}>
        <span className="font-semibold tracking-tight tabular-nums">
          {isExact || size === 0 ? '' : 'about '}
          {counted(size, 'user')}
        </span>
      </p>
      <p className="text-ink-soft text-dense">
        {kind === AUDIENCES ? 'would belong to it now.' : 'would have a value now.'}
        {!isExact &&
          ' An estimate: stored events are still being counted, or there are more than 100,000 users.'}
      </p>
      {sample.length > 0 && (
        <ul className="text-dense flex flex-col gap-0.5">
          {sample.map(({ userId, value }, index) => (
            <li key={userId ?? `none-${index}`} className="flex flex-wrap justify-between gap-x-3">
              <UserLink userId={userId} space={space} />
              {value !== true && <code>{valueWords(value)}</code>}
            </li>
          ))}
          {size > sample.length && <li className="text-ink-faint">and others</li>}
        </ul>
      )}
      {reachesBackTo !== null && (
        <p className="text-ink-faint text-note">
          Events are known since <Time at={reachesBackTo} form="full" />.
        </p>
      )}
    </>
  )
}
