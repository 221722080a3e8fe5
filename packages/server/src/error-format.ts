import { problemFormat } from './admin/problems/problem.ts'
import { type ErrorFormat, ingestionErrorFormat } from './http/responses.ts'

/** Formats errors outside routes: as a problem under `/api`, otherwise like the ingestion API. */
export const errorFormat: ErrorFormat = (code, request) =>
  /^\/api(?:[/?]|$)/.test(request.url)
    ? problemFormat(code, request)
    : ingestionErrorFormat(code, request)
