# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains and predicts with a package that uses OpenMP, and prints a checksum of what came out.

With `fork`, children forked after the parent's regions do the same work again: libgomp hangs there.
"""

import ctypes
import hashlib
import multiprocessing
import sys
from pathlib import Path

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


class Mkl:
    """Intel's MKL as its wheel has it, called without any package.

    A library that is linked to its layers needs libiomp5: what `libmkl_rt` takes is the layer for
    libgomp where a library of that name is in the process.
    """

    DOUBLE, COMPLEX, ROW_MAJOR, NOT_TRANSPOSED = 36, 32, 101, 111

    def __init__(self) -> None:
        self.library = ctypes.CDLL(str(Path(sys.prefix) / "lib" / "libmkl_linked.so"))

    @staticmethod
    def at(array: np.ndarray) -> ctypes.c_void_p:
        return ctypes.c_void_p(array.ctypes.data)

    def product(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        n, one, zero = len(a), ctypes.c_double(1), ctypes.c_double(0)
        c = np.zeros((n, n))
        flags = (self.ROW_MAJOR, self.NOT_TRANSPOSED, self.NOT_TRANSPOSED)
        operands = (self.at(a), n, self.at(b), n)
        self.library.cblas_dgemm(*flags, n, n, n, one, *operands, zero, self.at(c), n)
        return c

    def solve(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        n, factors, x = len(a), a.copy(), b.copy()
        pivots = np.zeros(n, dtype=np.int32)
        operands = (self.at(factors), n, self.at(pivots), self.at(x), b.shape[1])
        assert self.library.LAPACKE_dgesv(self.ROW_MAJOR, n, b.shape[1], *operands) == 0
        return x

    def transform(self, a: np.ndarray) -> np.ndarray:
        a = a.astype(complex)
        plan, sizes = ctypes.c_void_p(), (ctypes.c_long * a.ndim)(*a.shape)
        kinds = (self.DOUBLE, self.COMPLEX, ctypes.c_long(a.ndim), sizes)
        assert self.library.DftiCreateDescriptor(ctypes.byref(plan), *kinds) == 0
        assert self.library.DftiCommitDescriptor(plan) == 0
        assert self.library.DftiComputeForward(plan, self.at(a)) == 0
        self.library.DftiFreeDescriptor(ctypes.byref(plan))
        return a


def mkl() -> np.ndarray:
    """Products, solutions and transforms, each against numpy's."""
    library, rng = Mkl(), np.random.default_rng(RNG_SEED)
    results = []
    for _ in range(8):
        a, b = rng.random((700, 700)), rng.random((700, 700))
        pairs = (
            (library.product(a, b), a @ b),
            (library.solve(a + 700 * np.eye(700), b), np.linalg.solve(a + 700 * np.eye(700), b)),
            (library.transform(a), np.fft.fft2(a)),
        )
        for ours, numpys in pairs:
            assert np.allclose(ours, numpys, rtol=1e-9, atol=1e-9)
            results.append(np.abs(ours).sum())
    return np.round(np.array(results), 3)  # the order of sums is the library's


def mkl_beside_lightgbm() -> np.ndarray:
    """Two runtimes in one process, in turns: libgomp of LightGBM and libiomp5 of MKL. LightGBM is
    the first: behind MKL the loader would give it the GOMP_ entries that libiomp5 has as well."""
    first = lightgbm()
    return np.concatenate((first, mkl(), lightgbm()))


def limits() -> np.ndarray:
    """How many threads scikit-learn would use while threadpoolctl allows 2, and 1."""
    from sklearn.utils._openmp_helpers import _openmp_effective_n_threads
    from threadpoolctl import threadpool_limits

    seen = []
    for number in (2, 1):
        with threadpool_limits(number):
            seen.append(_openmp_effective_n_threads())
    return np.array(seen)


def torch_model():
    import torch

    torch.manual_seed(RNG_SEED)
    torch.set_num_threads(2)  # Debian's begins with as many as there are cores
    layers = (torch.nn.Linear(64, 512), torch.nn.ReLU(), torch.nn.Linear(512, 64))
    return torch.nn.Sequential(*layers), torch.randn(4096, 64)


def torch_training() -> np.ndarray:
    import torch

    model, x = torch_model()
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(20):
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(x), torch.sin(x)).backward()
        optimizer.step()
    return model[0].weight.detach().numpy()


def torch_inference() -> np.ndarray:
    import torch

    model, x = torch_model()
    with torch.no_grad():
        for _ in range(20):
            x = torch.tanh(model(x))
    return x.numpy()


def torch_compiled() -> np.ndarray:
    """Loops that PyTorch writes in C++ with OpenMP, and has compiled by g++."""
    import torch

    @torch.compile
    def step(x):
        return torch.sin(x) * x + torch.exp(-x * x)

    torch.set_num_threads(2)
    x = torch.linspace(-3, 3, 1_000_000)
    for _ in range(50):
        x = step(x)
    return x.numpy()


def paddle() -> np.ndarray:
    """Loops and MKL's products on libiomp5, and oneDNN's on libgomp."""
    import paddle as package

    package.seed(RNG_SEED)
    x = package.to_tensor(np.random.default_rng(RNG_SEED).random((4096, 64), dtype=np.float32))
    layers = (package.nn.Linear(64, 512), package.nn.ReLU(), package.nn.Linear(512, 64))
    model = package.nn.Sequential(*layers)
    optimizer = package.optimizer.Adam(parameters=model.parameters())
    for _ in range(40):
        package.nn.functional.mse_loss(model(x), package.sin(x)).backward()
        optimizer.step()
        optimizer.clear_grad()
    return model[0].weight.numpy()


def paddle_beside_torch() -> np.ndarray:
    return np.concatenate([each.ravel() for each in (torch_inference(), paddle())])


def faiss() -> np.ndarray:
    import faiss as package

    rng = np.random.default_rng(RNG_SEED)
    x = rng.random((20_000, 32), dtype=np.float32)
    index = package.index_factory(32, "IVF64,Flat")
    index.train(x)
    index.add(x)
    index.nprobe = 8
    return index.search(x[:4000], 5)[1]


def xgboost() -> np.ndarray:
    import xgboost as package

    rng = np.random.default_rng(RNG_SEED)
    x = rng.random((20_000, 30))
    y = x @ rng.random(30) + np.sin(9 * x[:, 0])
    settings = {"tree_method": "hist", "seed": 1}
    model = package.train(settings, package.DMatrix(x, y), 30)
    return model.predict(package.DMatrix(x))


def networkit() -> np.ndarray:
    import networkit as package

    package.setSeed(RNG_SEED, False)
    graph = package.generators.ErdosRenyiGenerator(2000, 0.01).generate()
    return np.array(package.centrality.HarmonicCloseness(graph, False).run().scores())


def aer() -> np.ndarray:
    from qiskit import QuantumCircuit
    from qiskit_aer import AerSimulator

    circuit = QuantumCircuit(16)
    for layer in range(6):
        for qubit in range(16):
            circuit.ry(0.1 * (qubit + layer + 1), qubit)
        for qubit in range(15):
            circuit.cx(qubit, qubit + 1)
    circuit.save_statevector()
    simulator = AerSimulator(method="statevector", statevector_parallel_threshold=4)
    return np.asarray(simulator.run(circuit, shots=1).result().get_statevector())


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
