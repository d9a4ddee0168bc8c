/** The response to a refused request, as `responseOf` and the clients of the tests return it. */
export const refused = (status: number, code: string, error: unknown, details: object = {}) => ({
  status,
  body: { error, details: { code, ...details } },
})

export interface TestResponse<Body = Record<string, unknown>> {
  status: number
  body: Body
}

export const responseOf = <Body>(given: { statusCode: number; body: string }): TestResponse<Body> => ({
  status: given.statusCode,
  body: JSON.parse(given.body) as Body,
})
