# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains and predicts with a package that uses OpenMP, and prints a checksum of what came out.

With `fork`, children forked after the parent's regions do the same work again: libgomp hangs there.
"""

import hashlib
import multiprocessing
import sys

import numpy as np

RNG_SEED = 1


def lightgbm() -> np.ndarray:
    import lightgbm as package

    rng = np.random.default_rng(RNG_SEED)
    x = rng.random((20_000, 30))
    y = x @ rng.random(30) + np.sin(9 * x[:, 0])
    settings = {"objective": "regression", "verbose": -1, "seed": 1, "deterministic": True}
    model = package.train(settings | {"force_row_wise": True}, package.Dataset(x, y), 30)
    return model.predict(x)


def boosting() -> np.ndarray:
    from sklearn.ensemble import HistGradientBoostingRegressor

    rng = np.random.default_rng(RNG_SEED)
    x = rng.random((20_000, 30))
    y = x @ rng.random(30) + np.sin(9 * x[:, 0])
    return HistGradientBoostingRegressor(max_iter=30, random_state=1).fit(x, y).predict(x)


def kmeans() -> np.ndarray:
    from sklearn.cluster import KMeans

    x = np.random.default_rng(RNG_SEED).random((60_000, 16))
    return KMeans(12, n_init=2, max_iter=30, random_state=1).fit(x).cluster_centers_


def blas() -> np.ndarray:
    a = np.random.default_rng(RNG_SEED).random((500, 500))
    for _ in range(5):
        a = np.linalg.solve(a + 500 * np.eye(500), a @ a.T)
    return a


def limits() -> np.ndarray:
    """How many threads scikit-learn would use while threadpoolctl allows 2, and 1."""
    from sklearn.utils._openmp_helpers import _openmp_effective_n_threads
    from threadpoolctl import threadpool_limits

    seen = []
    for number in (2, 1):
        with threadpool_limits(number):
            seen.append(_openmp_effective_n_threads())
    return np.array(seen)


def checksum(name: str) -> str:
    return hashlib.sha256(np.ascontiguousarray(globals()[name]()).tobytes()).hexdigest()


def main() -> None:
    name = sys.argv[1]
    parent = checksum(name)
    print(parent, flush=True)
    if sys.argv[2:] == ["fork"]:
        with multiprocessing.get_context("fork").Pool(2) as pool:
            children = pool.map(checksum, [name] * 4)
        print(*children, flush=True)
        if set(children) != {parent}:
            sys.exit("a child's result is not its parent's")


if __name__ == "__main__":
    main()
