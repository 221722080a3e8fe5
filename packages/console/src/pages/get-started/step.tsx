import type { ReactElement, ReactNode } from 'react'
import { classNames } from '../../design/class-names.ts'
import { Icon } from '../../design/icon.tsx'
import type { StepState } from './steps.ts'

interface StepProps {
  readonly number: number
  readonly title: string
  readonly state: StepState
  readonly children: ReactNode
}

const LOOKS = {
  done: 'bg-delivered-soft text-delivered',
  current: 'bg-accent text-on-accent',
  later: 'bg-sunken text-ink-faint',
} as const

const WORDS = { done: 'done', current: 'next', later: 'later' } as const

export function Step({ number, title, state, children }: StepProps): ReactElement {
  return (
    <li
      className="grid grid-cols-[2rem_1fr] gap-x-3 pb-6"
      aria-current={state === 'current' && 'step'}
    >
      <div className="flex flex-col items-center">
        <span
          className={classNames(
            'rounded-full flex size-8 items-center justify-center font-semibold',
            LOOKS[state],
          )}
        >
          {state === 'done' ? <Icon name="check" /> : number}
        </span>
        <span className="border-line mt-2 flex-1 border-l" />
      </div>
      <section className="min-w-0 pt-1">
        <h2
          className={classNames('text-part font-semibold', state === 'later' && 'text-ink-faint')}
        >
          {title}
          <span className="sr-only"> ({WORDS[state]})</span>
        </h2>
        <div className="mt-2 flex flex-col gap-3">{children}</div>
      </section>
    </li>
  )
}
