import type { ReactElement } from 'react'
import { StateBadge, type Tone } from '../../../design/state-badge.tsx'
import type { Computation } from './computation-kind.ts'

const TONES: Readonly<Record<Computation['state'], Tone>> = {
  preparing: 'waiting',
  live: 'delivered',
  paused: 'held',
  disabled: 'declined',
  failed: 'failed',
}

/** The state, with the progress of a sync. */
export function ComputationState({ record }: { readonly record: Computation }): ReactElement {
  return <StateBadge tone={TONES[record.state]}>{describeState(record)}</StateBadge>
}

function describeState({ state, progress }: Computation): string {
  if (progress === null) return state
  const { step, done, total } = progress
  return `${state}: ${step} ${Math.floor((done / Math.max(1, total)) * 100)}%`
}
