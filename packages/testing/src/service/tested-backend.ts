export const TESTED_BACKEND =
  process.env['HOOKLINE_TEST_BACKEND'] === 'cluster' ? 'cluster' : 'embedded'
