import { checkTarballs } from './checks/check-tarballs.ts'
import { isDryRun } from './publishing/is-dry-run.ts'
import { publish } from './publishing/publish.ts'
import { refusals } from './publishing/refusals.ts'
import { readState } from './publishing/state.ts'
import { step } from './step.ts'
import { makeTarballs, type Tarball, TARBALLS } from './packing/tarballs.ts'

// npm run release -- --dry-run      builds the tarballs, installs them, and tests the installed packages
// npm run release                   does the same, and publishes them if no check fails

await main().catch((error: unknown) => fail(`Failed:\n${(error as Error).message}`))

async function main(): Promise<void> {
  const isDry = isDryRun(process.argv.slice(2), process.env)
  const { version, ...state } = await readState()
  const reasons = refusals({ version, ...state })
  if (!isDry && reasons.length > 0) return fail(`Nothing is published:\n${bulletList(reasons)}`)
  const tarballs = await step('tarballs', () => makeTarballs(TARBALLS), sizes)
  await checkTarballs(tarballs)
  if (!isDry) return publish(tarballs, version)
  console.log(reasons.length > 0 ? refusal(reasons) : plan(tarballs, version))
}

function fail(text: string): void {
  console.error(`\n${text}`)
  process.exitCode = 1
}

function sizes(tarballs: readonly Tarball[]): string {
  return tarballs.map(({ name, bytes }) => `${name} ${(bytes / 1000).toFixed(0)} kB`).join(', ')
}

function refusal(reasons: readonly string[]): string {
  return `\nA release would be refused now:\n${bulletList(reasons)}`
}

/** The packages that a release of these tarballs would publish. */
function plan(tarballs: readonly Tarball[], version: string): string {
  const names = tarballs.map(({ name }) => `@hookline/${name}@${version}`)
  return `\nA release would publish, in this order: ${names.join(', ')}`
}

function bulletList(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join('\n')
}
