import type { Tone } from '../../../design/state-badge.tsx'
import type { System } from '../../../domain/system.ts'

interface ShownCheck {
  readonly name: string
  readonly state: { readonly tone: Tone; readonly icon?: 'warning'; readonly words: string }
  /** Why it fails, or what to know although it does not. */
  readonly text: string | undefined
}

/** The checks as they are shown: those that fail first, then those with a note. */
export function shownChecks({
  checks,
  failingWorkers,
}: Pick<System, 'checks' | 'failingWorkers'>): ShownCheck[] {
  const all = Object.entries(checks).map(([id, { ok, note, reason }]): ShownCheck => {
    const name = NAMES.get(id) ?? id
    if (!ok) return { name, state: FAILS, text: reason ?? 'It gives no reason.' }
    return { name, state: note === undefined ? WORKS : NOTED, text: note }
  })
  const workers = failingWorkers.map(({ name, reason }) => ({
    name: `worker ${name}`,
    state: FAILS,
    text: reason,
  }))
  return [...all, ...workers].toSorted((a, b) => rank(a) - rank(b))
}

/** What a check makes sure of, where its id does not say it. */
const NAMES: ReadonlyMap<string, string> = new Map([['draining', 'deliveries end']])

const FAILS = { tone: 'failed', words: 'Fails' } as const
const NOTED = { tone: 'retrying', icon: 'warning', words: 'Look at it' } as const
const WORKS = { tone: 'delivered', words: 'Works' } as const

const WORST_FIRST: readonly Tone[] = [FAILS.tone, NOTED.tone, WORKS.tone]

function rank({ state }: ShownCheck): number {
  return WORST_FIRST.indexOf(state.tone)
}
