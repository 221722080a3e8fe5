import type { Json } from '@hookline/protocol'
import type { ReactElement } from 'react'
import { problemOf } from '../../../api/problem.ts'
import { Panel } from '../../../design/panel.tsx'
import { Time } from '../../../design/texts/time.tsx'
import { useBuilder } from '../../../domain/conditions/builder/builder-context.ts'
import { unknownEvents } from '../../../domain/conditions/draft/suggestions.ts'
import { describeValue } from '../../../domain/conditions/draft/words.ts'
import { UserLink } from '../../../domain/user-link.tsx'
import { countText } from '../../../format/figures.ts'
import { shownText } from '../../../format/shown-text.ts'
import { AUDIENCES, type ComputationKind, type Preview } from '../record/computation-kind.ts'
import type { usePreview } from './use-preview.ts'

interface PreviewPanelProps {
  readonly kind: ComputationKind
  readonly space: string
  readonly definition: Json | undefined
  readonly isComplete: boolean
  readonly preview: ReturnType<typeof usePreview>
}

/** The size of the result and some users, updated with each edit. */
export function PreviewPanel(props: PreviewPanelProps): ReactElement {
  const { kind, space, definition, isComplete, preview } = props
  const { data, error, isFetching } = preview
  const { suggestions } = useBuilder()
  const unknown = unknownEvents(definition, suggestions)
  return (
    <Panel title="Preview">
      <div aria-live="polite" aria-busy={isFetching} className="flex flex-col gap-2">
        {definition === undefined ? (
          <p className="text-ink-soft">Invalid JSON.</p>
        ) : !isComplete ? (
          <p className="text-ink-soft">Fill in all fields to see matching users.</p>
        ) : error !== null ? (
          <p className="text-failed">{problemOf(error).message}</p>
        ) : data === undefined ? (
          <p className="text-ink-soft">Counting…</p>
        ) : data.size === 0 && unknown.length > 0 ? (
          <p className="text-ink-soft">
            No users. No recent event is named{' '}
            {unknown.map((name) => `“${shownText(name, 60)}”`).join(' or ')}.
          </p>
        ) : (
          <Result kind={kind} space={space} data={data} isOld={preview.isPlaceholderData} />
        )}
      </div>
    </Panel>
  )
}

interface ResultProps {
  readonly kind: ComputationKind
  readonly space: string
  readonly data: Preview
  readonly isOld: boolean
}

function Result({ kind, space, data, isOld }: ResultProps): ReactElement {
  const { size, isExact, sample, reachesBackTo } = data
  return (
    <>
      <p className={isOld ? 'text-figure text-ink-faint' : 'text-figure'}>
        <span className="font-semibold tracking-tight tabular-nums">
          {isExact || size === 0 ? '' : 'about '}
          {countText(size, 'user')}
        </span>
      </p>
      <p className="text-ink-soft text-dense">
        {kind === AUDIENCES ? 'would be in this audience.' : 'would have a value.'}
        {!isExact &&
          ' Estimated: stored events are still being counted, or there are more than 100,000 profiles.'}
      </p>
      {sample.length > 0 && (
        <ul className="text-dense flex flex-col gap-0.5">
          {sample.map(({ userId, value }, index) => (
            <li key={userId ?? `none-${index}`} className="flex flex-wrap justify-between gap-x-3">
              <UserLink userId={userId} space={space} />
              {value !== true && <code>{describeValue(value)}</code>}
            </li>
          ))}
          {size > sample.length && <li className="text-ink-faint">and more</li>}
        </ul>
      )}
      {reachesBackTo !== null && (
        <p className="text-ink-faint text-note">
          Counts events since <Time at={reachesBackTo} form="full" />.
        </p>
      )}
    </>
  )
}
