import { startProfiles, stopProfiles } from '../profile/own-profiles.ts'

/** What the benchmark asks: `about` names the answer. */
interface Question {
  readonly about: string
  readonly seconds: number
}

/** The answers of a program to the questions of the benchmark, by what they are about. */
type Answers = Readonly<Record<string, (question: Question) => unknown>>

/** What every program knows about itself. */
const COMMON: Answers = { usage, 'profile start': startProfiles, profile: stopProfiles }

/** Answers each question of the benchmark, and says that the program is ready. An answer that fails ends the program. */
export function answer(own: Answers, ready: unknown): void {
  const answers = { ...COMMON, ...own }
  process.on('message', async (question: Question) => {
    const answered: unknown = await answers[question.about]!(question)
    process.send!(answered ?? null)
  })
  process.send!(ready)
}

/** CPU time of all threads since the start, in microseconds, and resident memory. */
function usage(): object {
  const { user, system } = process.cpuUsage()
  return { cpuMicros: user + system, residentBytes: process.memoryUsage.rss() }
}
