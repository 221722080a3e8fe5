import type { Tone } from '../../../design/state-badge.tsx'
import type { System } from '../../../domain/system.ts'

interface ShownCheck {
  readonly name: string
  readonly state: { readonly tone: Tone; readonly icon?: 'warning'; readonly words: string }
  readonly text: string | undefined
}

const FAILING = { tone: 'failed', words: 'Failing' } as const
const WARNING = { tone: 'retrying', icon: 'warning', words: 'Warning' } as const
const OK = { tone: 'delivered', words: 'OK' } as const

const WORST_FIRST: readonly Tone[] = [FAILING.tone, WARNING.tone, OK.tone]

/** Failing checks and workers first, then warnings. */
export function shownChecks({
  checks,
  failingWorkers,
}: Pick<System, 'checks' | 'failingWorkers'>): ShownCheck[] {
  const all = Object.entries(checks).map(([name, { ok, note, reason }]): ShownCheck => {
    if (!ok) return { name, state: FAILING, text: reason ?? 'No reason given.' }
    return { name, state: note === undefined ? OK : WARNING, text: note }
  })
  const workers = failingWorkers.map(({ name, reason }) => ({
    name: `worker ${name}`,
    state: FAILING,
    text: reason,
  }))
  const rank = ({ state }: ShownCheck): number => WORST_FIRST.indexOf(state.tone)
  return [...all, ...workers].toSorted((a, b) => rank(a) - rank(b))
}
