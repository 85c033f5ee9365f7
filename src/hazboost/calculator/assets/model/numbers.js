// Functions that JavaScript lacks, accurate to about 1e-15.

// Cody's rational approximations of the error function (Math. Comp. 23, 1969).
const ERF_P = [1.85777706184603153e-1, 3.16112374387056560, 1.13864154151050156e2, 3.77485237685302021e2, 3.20937758913846947e3];
const ERF_Q = [1, 2.36012909523441209e1, 2.44024637934444173e2, 1.28261652607737228e3, 2.84423683343917062e3];
const MIDDLE_P = [2.15311535474403846e-8, 5.64188496988670089e-1, 8.88314979438837594, 6.61191906371416295e1,
  2.98635138197400131e2, 8.81952221241769090e2, 1.71204761263407058e3, 2.05107837782607147e3, 1.23033935479799725e3];
const MIDDLE_Q = [1, 1.57449261107098347e1, 1.17693950891312499e2, 5.37181101862009858e2, 1.62138957456669019e3,
  3.29079923573345963e3, 4.36261909014324716e3, 3.43936767414372164e3, 1.23033935480374942e3];
const FAR_P = [1.63153871373020978e-2, 3.05326634961232344e-1, 3.60344899949804439e-1, 1.25781726111229246e-1,
  1.60837851487422766e-2, 6.58749161529837803e-4];
const FAR_Q = [1, 2.56852019228982242, 1.87295284992346725, 5.27905102951428412e-1, 6.05183413124413191e-2,
  2.33520497626869185e-3];

function polynomial(coefficients, x) {
  let value = 0;
  for (const one of coefficients) value = value * x + one;
  return value;
}

// exp(x^2) erfc(x) for x > 0.46875.
function scaledErfc(x) {
  if (x <= 4) return polynomial(MIDDLE_P, x) / polynomial(MIDDLE_Q, x);
  const inverse = 1 / (x * x);
  return (Math.sqrt(1 / Math.PI) - inverse * polynomial(FAR_P, inverse) / polynomial(FAR_Q, inverse)) / x;
}

function erfc(x) {
  if (x < -0.46875) return 2 - erfc(-x);
  if (x <= 0.46875) return 1 - x * polynomial(ERF_P, x * x) / polynomial(ERF_Q, x * x);
  return Math.exp(-x * x) * scaledErfc(x);
}

// Logarithm of the distribution function of the normal distribution.
function logNormal(x) {
  const y = x / Math.SQRT2;
  if (x < -1) return Math.log(0.5 * scaledErfc(-y)) - y * y;
  return Math.log1p(-0.5 * erfc(y));
}

const clip = (x, low, high) => Math.min(Math.max(x, low), high);

// log(1 + exp(x))
const softplus = (x) => Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));

// Numbers that Python has packed as text.
const ARRAYS = { Uint8: Uint8Array, Uint16: Uint16Array, Uint32: Uint32Array, Float32: Float32Array };
function unpack({ kind, data }) {
  const text = atob(data);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return new ARRAYS[kind](bytes.buffer); // both sides are little-endian
}
