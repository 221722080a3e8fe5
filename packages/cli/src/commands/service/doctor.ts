import type { Command } from 'commander'
import type { Config } from '@hookline/server'
import { CHECKS, type Finding } from '../../doctor/checks.ts'
import { Failure } from '../../failure.ts'
import { outputOf } from '../../output/output-of.ts'
import { configFrom, type SettingFlags, withServerOptions } from '../../service/server-options.ts'

interface Checked extends Finding {
  readonly check: string
}

/** `hookline doctor` */
export function addDoctor(program: Command): void {
  withServerOptions(program.command('doctor'))
    .description(
      'check data folder, disk, clock, port, database and version; exits 8 when unhealthy',
    )
    .action(async (flags: SettingFlags, command: Command) => {
      const config = await configFrom(flags)
      const checks = await allChecks(config)
      const output = outputOf(command)
      const isHealthy = checks.every(({ ok }) => ok)
      output.data({ healthy: isHealthy, checks }, () => checks.map(lineOf).join('\n'))
      if (isHealthy) return
      const bad = checks.filter(({ ok }) => !ok).map(({ check }) => check)
      throw new Failure('unhealthy', `Not well: ${bad.join(', ')}.`)
    })
}

async function allChecks(config: Config): Promise<Checked[]> {
  const found: Checked[] = []
  for (const [check, find] of Object.entries(CHECKS)) {
    found.push({ check, ...(await find(config).catch(brokenCheck)) })
  }
  return found
}

function brokenCheck(error: unknown): Finding {
  return { ok: false, detail: (error as Error).message }
}

function lineOf({ check, ok, detail }: Checked): string {
  return `${ok ? '✓' : '✗'} ${check.padEnd(12)} ${detail}`
}
