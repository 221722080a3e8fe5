/** The backend that the services of the tests run on. */
export const TESTED_BACKEND =
  process.env['HOOKLINE_TEST_BACKEND'] === 'cluster' ? 'cluster' : 'embedded'
