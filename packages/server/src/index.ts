export type { AdminToken } from './admin-token.ts'
export { type Config, ConfigError, flagOf, parseConfig, variableOf } from './config.ts'
export { migrateData, type MigrateDataOptions, type MoveReport } from './open-backend.ts'
export type { InspectedRequest } from './inspector/inspected-request.ts'
export {
  backUpStopped,
  type DatabaseCorruption,
  corruptionsOf,
  DataDirInUseError,
  diagnoseCluster,
  migrateStopped,
  openService,
  type RebuildResult,
  rebuildInto,
  recordedCorruptions,
  restoreInto,
  type Service,
  type ServiceOptions,
  UnusableDatabaseError,
  type FailedWorker,
} from './service.ts'
export { type Setting, type SettingName, SETTINGS } from './settings.ts'
export { createLogger, openLog, type ServiceLog } from './telemetry/logger.ts'
export { syncFolder } from './util/durable-file.ts'
export { VERSION } from './version.ts'
