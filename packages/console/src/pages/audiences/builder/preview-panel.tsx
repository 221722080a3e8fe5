import type { ReactElement } from 'react'
import { problemOf } from '../../../api/problem.ts'
import { Panel } from '../../../design/panel.tsx'
import { Time } from '../../../design/texts/time.tsx'
import { UserLink } from '../../../domain/user-link.tsx'
import { counted } from '../../../format/figures.ts'
import { valueWords } from '../draft/words.ts'
import type { Preview } from '../record/computation-kind.ts'
import type { usePreview } from './use-preview.ts'

interface PreviewPanelProps {
  readonly preview: ReturnType<typeof usePreview>
  readonly space: string
  /** What is missing before it can be counted, in words. */
  readonly waitsFor: string | undefined
}

/** How many users there would be, and some of them. It follows what is written. */
export function PreviewPanel({ preview, space, waitsFor }: PreviewPanelProps): ReactElement {
  const { data, error, isFetching } = preview
  return (
    <Panel title="Preview">
      <div aria-live="polite" aria-busy={isFetching} className="flex flex-col gap-2">
        {waitsFor !== undefined ? (
          <p className="text-ink-soft">{waitsFor}</p>
        ) : error !== null ? (
          <p className="text-failed">{problemOf(error).message}</p>
        ) : data === undefined ? (
          <p className="text-ink-soft">Counting…</p>
        ) : (
          <Counted data={data} space={space} isOld={preview.isPlaceholderData} />
        )}
      </div>
    </Panel>
  )
}

interface CountedProps {
  readonly data: Preview
  readonly space: string
  readonly isOld: boolean
}

function Counted({ data, space, isOld }: CountedProps): ReactElement {
  const { size, isExact, sample, reachesBackTo } = data
  return (
    <>
      <p className={isOld ? 'text-figure text-ink-faint' : 'text-figure'}>
        <span className="font-semibold tracking-tight tabular-nums">
          {isExact ? '' : 'about '}
          {counted(size, 'user')}
        </span>
      </p>
      {!isExact && (
        <p className="text-ink-soft text-dense">
          An estimate: there are more than 100,000 profiles, or profiles do not have all stored
          events yet. Then it is counted again by itself.
        </p>
      )}
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
