import type { ReactElement } from 'react'
import { classNames } from './class-names.ts'
import { Icon, type IconName } from './icon.tsx'

export type Tone = 'delivered' | 'retrying' | 'failed' | 'declined' | 'held' | 'waiting'

const TONES: Readonly<Record<Tone, { readonly look: string; readonly icon: IconName }>> = {
  delivered: { look: 'bg-delivered-soft text-delivered', icon: 'check' },
  retrying: { look: 'bg-retrying-soft text-retrying', icon: 'retry' },
  failed: { look: 'bg-failed-soft text-failed', icon: 'cross' },
  declined: { look: 'bg-declined-soft text-declined', icon: 'bar' },
  held: { look: 'bg-held-soft text-held', icon: 'pause' },
  waiting: { look: 'bg-sunken text-ink-soft', icon: 'clock' },
}

interface StateBadgeProps {
  readonly tone: Tone
  /** Overrides the icon of the tone. */
  readonly icon?: IconName | undefined
  readonly children: string
  readonly className?: string
}

export function StateBadge({ tone, icon, children, className }: StateBadgeProps): ReactElement {
  const { look, icon: toneIcon } = TONES[tone]
  return (
    <span
      className={classNames(
        'rounded-full text-note inline-flex items-center gap-1 px-2 py-px font-medium whitespace-nowrap',
        look,
        className,
      )}
    >
      <Icon name={icon ?? toneIcon} className="size-3" />
      {children}
    </span>
  )
}
