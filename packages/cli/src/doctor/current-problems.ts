import { findAdminToken } from '../api/admin-token.ts'
import { type ManagementApi, managementApi } from '../api/management-api.ts'
import { Failure } from '../failure.ts'
import { type CheckResult, failedCheck } from './finding.ts'
import { type DoctorTarget, isLocal, serviceAt } from './service-at.ts'

type Problem = Awaited<ReturnType<ManagementApi['listProblems']>>['data'][number]

/** The current problems of a running service. Problems with the severity `attention` are warnings, not failures. */
export async function problemFindings(target: DoctorTarget): Promise<readonly CheckResult[]> {
  // The service check reports an unreachable service.
  if ((await serviceAt(target)) === undefined) return []
  const check = 'problems'
  const token = tokenOf(target)
  if (token instanceof Failure) {
    const detail = `not checked: ${token.message}`
    return [{ check, ...failedCheck(token), ok: true, warning: true, detail }]
  }
  const { data: all } = await managementApi(target.url, token).listProblems()
  const data = all.filter((problem) => !isFoundByOtherCheck(problem, target))
  return data.length === 0 ? [{ check, ok: true, detail: 'no problems' }] : data.map(findingOf)
}

/**
 * Whether the check `service` or `database` reports this problem. Corruption with a `count` is found only by the running
 * service.
 */
function isFoundByOtherCheck({ condition, count }: Problem, target: DoctorTarget): boolean {
  if (condition === 'check_failed') return true
  const { backend } = target.config
  return condition === 'damage_found' && count === null && backend === 'embedded' && isLocal(target)
}

function findingOf({ condition, severity, title, remedy, subject, causes }: Problem): CheckResult {
  const { kind, id } = subject
  const more =
    kind === 'destination' ? ` To see its state, run \`hookline destinations get ${id}\`.` : ''
  return {
    check: condition,
    ok: severity === 'attention',
    ...(severity === 'attention' && { warning: true }),
    detail: title,
    // The first one is the problem itself.
    causes: causes.slice(1).map((cause) => [cause.title, cause.remedy ?? []].flat().join(' ')),
    next: `${remedy}${more}`,
  }
}

function tokenOf(target: DoctorTarget): string | Failure {
  const { config, url, tokenFile } = target
  if (tokenFile === undefined && config.adminToken) return config.adminToken.reveal()
  try {
    // The token in the folder is only for the service on this machine.
    return findAdminToken({
      url,
      ...(tokenFile !== undefined && { tokenFile }),
      ...(isLocal(target) && { dataDir: config.dataDir }),
    })
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
}
