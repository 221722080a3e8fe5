/** Where Redis is: HOOKLINE_BENCH_REDIS, or on this machine. */
export function redisUrl(): string {
  return process.env['HOOKLINE_BENCH_REDIS'] ?? 'redis://127.0.0.1:6379'
}

/** Where PostgreSQL is: HOOKLINE_BENCH_POSTGRES, or on this machine. */
export function postgresUrl(): string {
  return process.env['HOOKLINE_BENCH_POSTGRES'] ?? 'postgres://postgres@127.0.0.1:5432/postgres'
}
