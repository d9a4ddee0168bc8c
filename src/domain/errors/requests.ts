import type { ErrorEntry } from './entry.ts'

/** Requests that are invalid for any operation. */
export const REQUEST_ERRORS = {
  INVALID_INTEGER: {
    status: 400,
    message: '{parameter} must be an integer from {min} to {max}, got {value}',
  },
  INVALID_ENUM: { status: 400, message: '{parameter} must be one of {allowed}, got {value}' },
  INVALID_BOOLEAN: { status: 400, message: '{parameter} must be true or false, got {value}' },
  INVALID_TEXT: { status: 400, message: '{parameter} {problem}, got {value}' },
  INVALID_RANGE: {
    status: 400,
    message: '{low} must not be greater than {high}, got {lowValue} and {highValue}',
  },
  INVALID_CURSOR: {
    status: 400,
    message: '{parameter} must be a cursor of this list and order, got {value}',
  },
  INVALID_PUBKEY: {
    status: 400,
    message: '{parameter} must be a base-58 public key of 32 bytes, got {value}',
  },
  INVALID_BASE64: { status: 400, message: '{parameter} must be base64 with padding, got {value}' },
  INVALID_TYPE: { status: 400, message: '{parameter} must be {expected}, got {value}' },
  FIELD_REQUIRED: { status: 400, message: '{parameter} is required' },
  UNKNOWN_PARAMETER: { status: 400, message: 'Unknown parameter {given}. Known parameters: {known}' },
  UNKNOWN_MEMBER: { status: 400, message: 'Unknown member {given}.{suggestion} Known members: {known}' },
  REPEATED_MEMBER: { status: 400, message: 'The body has the member {given} twice in one object' },
  REPEATED_PARAMETER: { status: 400, message: '{parameter} must occur once, got {count} values' },
  INVALID_ENCODING: {
    status: 400,
    message: '{given} must be percent-encoded UTF-8, got {value}',
  },
  INVALID_JSON: { status: 400, message: 'The body must be valid JSON: {problem}' },
  BODY_NOT_OBJECT: { status: 400, message: 'The body must be a JSON object' },
  INVALID_REQUEST: { status: 400, message: '{problem}' },
  INVALID_NODE_ID: { status: 400, message: '{parameter} must be the id of a node, got {value}' },
  QUERY_TOO_LARGE: {
    status: 400,
    message: 'The query selects more than {max} values in nested lists: use lower limits or fewer fields',
  },
  // Clients of automatic persisted queries expect this text.
  PERSISTED_QUERY_NOT_FOUND: { status: 404, message: 'PersistedQueryNotFound' },
  PATH_NOT_FOUND: { status: 404, message: 'Not found: {path}' },
  METHOD_NOT_ALLOWED: { status: 405, message: '{method} is not allowed here. Allowed methods: {allowed}' },
  NOT_ACCEPTABLE: { status: 406, message: 'Accept must allow {type}, got {value}' },
  REQUEST_TIMEOUT: { status: 408, message: 'The request took too long to arrive' },
  BODY_TOO_LARGE: { status: 413, message: 'The body must not be larger than {max} bytes' },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    message: 'Content-Type must be application/json, got {value}',
  },
  EXPECTATION_FAILED: { status: 417, message: 'Expect must be 100-continue, got {value}' },
  HEADERS_TOO_LARGE: { status: 431, message: 'The request headers are too large' },
  ORIGIN_NOT_ALLOWED: { status: 403, message: 'The origin {value} is not allowed to call this service' },
  HOST_NOT_ALLOWED: {
    status: 403,
    message: 'The host name {value} is not a name of this service (see BASE_URL)',
  },
} as const satisfies Record<string, ErrorEntry>
