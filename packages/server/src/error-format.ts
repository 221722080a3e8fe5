import { problemForm } from './admin/problems/problem.ts'
import { type ErrorFormat, ingestionErrorFormat } from './http/responses.ts'

/** The form of a response to an error outside of all routes: a problem below `/api`, else as the ingestion API responds. */
export const errorFormat: ErrorFormat = (code, request) =>
  /^\/api(?:[/?]|$)/.test(request.url)
    ? problemForm(code, request)
    : ingestionErrorFormat(code, request)
